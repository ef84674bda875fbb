import { machineMapShape } from '@roastery/contract/machine-map';
import { describe, expect, it } from 'vitest';
import { stepsOf, stepsText } from './event-draft.ts';
import { draftOf, mapOfDraft } from './map-draft.ts';
import { mergeDrafts } from './map-merge.ts';
import { emptyOutput } from './output-draft.ts';

const map = machineMapShape.parse({
  v: 1,
  id: 'own-drum',
  maker: 'Maker',
  model: 'Drum',
  link: { kind: 'tcp', host: '10.0.0.9' },
  channels: { bean_temp: { at: 'h:6', as: 'i16', scale: 0.1 }, exhaust_temp: { at: 'h:7' } },
  outputs: { heat_power: { at: 'h:9', range: [0, 100], maxPerSecond: 1, safe: 0, order: 'CDAB' } },
  events: { charge: { when: 'd:284' }, cooling: { on: [['h:1008', 2], { wait: 10_000 }, ['h:1008', 5]] } },
});
const draft = draftOf(map);
const [heat] = draft.outputs;
const [charge, cooling] = draft.events;
if (!heat || !charge || !cooling) throw new Error('the map has an output and two events');
const problemsOf = (result: ReturnType<typeof mapOfDraft>) => ('problems' in result ? result.problems : {});

describe('outputs and events of a map', () => {
  it('are returned unchanged, or changed as typed', () => {
    expect(mapOfDraft(draft, map)).toEqual({ map });
    const changed = mapOfDraft(
      {
        ...draft,
        outputs: [
          { ...heat, high: '90', safe: '' },
          { ...emptyOutput(9), name: 'fan_speed', readback: 'bean_temp' },
        ],
        events: [
          { ...charge, when: 'h:7.3' },
          { ...cooling, on: 'h:1008 = 3,wait 500 ms' },
        ],
      },
      map,
    );
    expect(changed).toMatchObject({
      map: {
        outputs: { heat_power: { range: [0, 90], maxPerSecond: 1 }, fan_speed: { at: 'h:0', readback: 'bean_temp' } },
        events: { charge: { when: 'h:7.3' }, cooling: { on: [['h:1008', 3], { wait: 500 }] } },
      },
    });
    expect('map' in changed && changed.map.outputs['heat_power']).not.toHaveProperty('safe');
  });

  it('are refused in their row, with the message of the schema', () => {
    const result = mapOfDraft(
      {
        ...draft,
        channels: draft.channels.filter(({ name }) => name === 'bean_temp'),
        outputs: [
          { ...heat, at: '41010', low: 'low', readback: 'exhaust_temp' },
          { ...emptyOutput(9), name: 'heat_power' },
        ],
        events: [
          { ...charge, when: '' },
          { ...cooling, when: '10285', on: '' },
        ],
      },
      map,
    );
    expect(problemsOf(result)).toMatchObject({
      'outputs.1.name': 'Another output has this name',
      'events.0.when': 'Enter the machine signal, or the writes that trigger it',
      'events.1.when': expect.stringContaining('write "d:284"'),
    });
    const alone = mapOfDraft({ ...draft, outputs: [{ ...heat, at: '41010', low: 'low', safe: 'x' }] }, map);
    expect(problemsOf(alone)).toEqual({
      'outputs.0.at': expect.stringContaining('write "h:1009"'),
      'outputs.0.range': 'Enter a number',
      'outputs.0.safe': 'Enter a number',
    });
  });

  it('show the writes of an event as readable text', () => {
    const text = stepsText(map.events.cooling?.on);
    expect(text).toBe('h:1008 = 2, wait 10 s, h:1008 = 5');
    expect(stepsOf(text)).toEqual({ steps: map.events.cooling?.on });
    expect(stepsOf('41009 = 2')).toEqual({ problem: expect.stringContaining('write "h:1008"') });
    expect(stepsOf('press the button')).toEqual({ problem: expect.stringContaining('wait 10 s') });
  });
});

describe('two people editing one map', () => {
  it('keep both users’ changes, row by row, and show their conflicts', () => {
    const newest = {
      ...draft,
      hz: '4',
      channels: draft.channels.map((row) => (row.name === 'exhaust_temp' ? { ...row, at: 'h:17' } : row)),
      outputs: [{ ...heat, at: 'h:19' }],
    };
    const own = {
      ...draft,
      channels: draft.channels.map((row) => (row.name === 'bean_temp' ? { ...row, at: 'h:8' } : row)),
      outputs: [
        { ...heat, at: 'h:29' },
        { ...emptyOutput(1000), name: 'fan_speed' },
      ],
      events: [charge],
    };
    const { draft: merged, theirs, clashes } = mergeDrafts(draft, newest, own);
    expect(theirs).toEqual(['Readings per second', 'Channel exhaust_temp']);
    expect(clashes).toEqual([{ label: 'Output heat_power', now: 'address h:19', yours: 'address h:29' }]);
    expect(mapOfDraft(merged, map)).toMatchObject({
      map: {
        hz: 4,
        channels: { bean_temp: { at: 'h:8' }, exhaust_temp: { at: 'h:17' } },
        outputs: { heat_power: { at: 'h:29' }, fan_speed: { at: 'h:0' } },
        events: { charge: { when: 'd:284' } },
      },
    });
    expect(merged.events).toHaveLength(1);
  });
});
