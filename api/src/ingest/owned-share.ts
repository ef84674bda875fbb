import type { IsDue, MqttLink, PublishingShare } from '../broker/channel.ts';
import type { Division, InstancesAtBroker } from './instances.ts';

/**
 * The machines that this instance owns at a broker: all of them after each (re)connect, and those that it takes over when the
 * instances change. An owner that misses a change has lost the broker or ends, so another one takes its machines over.
 */
export const ownedShare = (
  link: Pick<MqttLink, 'isConnected' | 'onConnect'>,
  instances: Pick<InstancesAtBroker, 'division' | 'onChange'>,
): PublishingShare => {
  const handlers = new Set<(isDue: IsDue) => void>();
  /** Whose machines were published on this connection. */
  let published: Division | undefined;
  const publish = (): void => {
    const { division } = instances;
    if (division === undefined || division === published || !link.isConnected) return;
    const before = published;
    published = division;
    const isDue: IsDue = (serial) => division.owns(serial) && before?.owns(serial) !== true;
    for (const handler of handlers) handler(isDue);
  };
  instances.onChange(publish);
  link.onConnect(() => {
    published = undefined;
    publish();
  });
  return {
    owns: (serial) => link.isConnected && (instances.division?.owns(serial) ?? false),
    onDue(handler) {
      handlers.add(handler);
      const { division } = instances;
      if (division !== undefined && division === published) handler((serial) => division.owns(serial));
      return () => void handlers.delete(handler);
    },
  };
};
