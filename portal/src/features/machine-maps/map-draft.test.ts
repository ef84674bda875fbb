import { machineMapShape } from '@roastery/contract/machine-map';
import type { MapDetail } from '@roastery/contract/machine-maps';
import { describe, expect, it } from 'vitest';
import { draftOf, emptyChannel, mapOfDraft } from './map-draft.ts';
import { mapDifference } from './MapChanges.tsx';
import { changedBy, editingOf, withRow } from './use-map-draft.ts';

const map = machineMapShape.parse({
  v: 1,
  id: 'own-drum',
  rev: 3,
  maker: 'Maker',
  model: 'Drum',
  link: { kind: 'tcp', host: '10.0.0.9' },
  channels: {
    exhaust_temp: { at: 'h:7', scale: 0.1, range: [-50, 700] },
    bean_temp: { at: 'h:6', as: 'f32', order: 'CDAB', bad: [32_767] },
  },
  outputs: { heat_power: { at: 'h:9', range: [0, 100] } },
});
const draft = draftOf(map);
const [exhaust, bean] = draft.channels;
if (!exhaust || !bean) throw new Error('a map has its channels');

describe('editing a machine map', () => {
  it('is dirty from the first change on; a change clears errors, and each new row has a key of its own', () => {
    const base: Pick<MapDetail, 'map'> = { map };
    const opened = editingOf(base as MapDetail);
    expect([opened.isDirty, opened.draft]).toEqual([false, draft]);
    const changed = changedBy({ ...opened, problems: { hz: 'Enter a number' } }, { hz: '2' });
    expect(changed).toMatchObject({ isDirty: true, problems: {}, draft: { hz: '2', maker: 'Maker' } });
    const add = (now: typeof draft, key: number) => ({ channels: [...now.channels, emptyChannel(key)] });
    const keys = withRow(withRow(changed, add), add).draft.channels.map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
    expect(editingOf(base as MapDetail, changed.draft)).toMatchObject({ isDirty: true, draft: { hz: '2' } });
  });

  it('returns the unchanged map in its order, including fields it does not show', () => {
    expect(mapOfDraft(draft, map)).toEqual({ map });
  });

  it('sets charging for a cold machine, and omits it for a hot one', () => {
    const cold = mapOfDraft({ ...draft, charging: 'cold' }, map);
    expect(cold).toMatchObject({ map: { charging: 'cold' } });
    const back = 'map' in cold ? mapOfDraft({ ...draftOf(cold.map), charging: 'hot' }, cold.map) : undefined;
    expect(back).toEqual({ map });
  });

  it('reports errors by row', () => {
    const result = mapOfDraft(
      {
        ...draft,
        hz: 'fast',
        channels: [
          { ...exhaust, at: '40008' },
          { ...bean, scale: '' },
          { ...emptyChannel(2), name: 'bean_temp' },
        ],
      },
      map,
    );
    expect(result).toEqual({
      problems: {
        hz: 'Enter a number',
        'channels.0.at': expect.stringContaining('write "h:7"'),
        'channels.2.name': 'Another channel has this name',
      },
    });
    const named = mapOfDraft(
      {
        ...draft,
        channels: [
          { ...exhaust, name: 'Exhaust Temp' },
          { ...bean, scale: 'x' },
        ],
      },
      map,
    );
    expect(named).toEqual({
      problems: {
        'channels.0.name': expect.stringContaining('lower_snake_case'),
        'channels.1.scale': 'Enter a number',
      },
    });
  });

  it('lists the changes between two revisions', () => {
    const result = mapOfDraft({ ...draft, hz: '4', channels: [{ ...bean, at: 'h:8' }] }, { ...map, rev: 4 });
    if (!('map' in result)) throw new Error(JSON.stringify(result));
    expect(mapDifference(map, result.map)).toEqual([
      { place: 'hz', before: '2', after: '4' },
      { place: 'channels.exhaust_temp.at', before: 'h:7', after: undefined },
      { place: 'channels.exhaust_temp.as', before: 'u16', after: undefined },
      { place: 'channels.exhaust_temp.scale', before: '0.1', after: undefined },
      { place: 'channels.exhaust_temp.offset', before: '0', after: undefined },
      { place: 'channels.exhaust_temp.unit', before: '°C', after: undefined },
      { place: 'channels.exhaust_temp.range', before: '[-50,700]', after: undefined },
      { place: 'channels.bean_temp.at', before: 'h:6', after: 'h:8' },
    ]);
  });
});
