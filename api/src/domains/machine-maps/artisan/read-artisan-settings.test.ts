import { readFileSync } from 'node:fs';
import { sharedData } from '@roastery/testing/shared-data';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../http/app-error.ts';
import { newerSettings, serialSettings, siemensSettings, tcpSettings } from '../../../testing/artisan-settings.ts';
import { artisanMachine } from './read-artisan-settings.ts';

const data = sharedData();
const read = (text: string, fileName = 'Besca_Bee v2.aset') =>
  artisanMachine(new TextEncoder().encode(text), { fileName });

/** The registers of bean and exhaust temperature, and the first remark. */
const placesIn = (text: string) => {
  const { map, remarks } = read(text);
  return [map.channels['bean_temp']?.at, map.channels['exhaust_temp']?.at, remarks[0]];
};
const ofCase = (name: string) => read(readFileSync(data.path('cases', name), 'utf8'), name);

describe('settings file of Artisan', () => {
  it('becomes a map: address, units, registers, encodings, scales and curves', () => {
    const { map } = read(tcpSettings);
    expect(map).toMatchObject({
      maker: 'Giesen',
      model: 'W15A',
      capacityKg: 15,
      verified: 'none',
      link: { kind: 'tcp', host: '192.168.2.10', port: 1502 },
      unit: 1,
      order: 'ABCD',
      hz: 2,
      timeoutMs: 400,
    });
    const shown = Object.fromEntries(
      Object.entries(map.channels).map(([name, { at, as, scale, unit }]) => [name, [at, as, scale, unit]]),
    );
    expect(shown).toEqual({
      bean_temp: ['h:41', 'i16', 0.1, '°C'],
      exhaust_temp: ['h:40', 'u16', 0.1, '°C'],
      heat_power: ['h:45', 'u16', 1, '%'],
      fan_speed: ['i:46', 'u16', 1, '%'],
      inlet_temp: ['2/h:100', 'f32', 1, '°F'],
      gas_bar: ['2/h:102', 'u32', 0.01, ''],
      input_7: ['c:7', 'bool', 1, 'bool'],
    });
  });

  it('reports the parts that it could not import', () => {
    expect(read(tcpSettings).remarks).toEqual([
      'Input 7 has no curve in the file, so it is named input_7.',
      'The PID controller was not imported: the board never writes to a machine.',
      '2 commands of sliders and buttons not imported: the board never writes to a machine.',
      '1 further device of the file not imported: boards read Modbus only.',
      '1 formula of curves not imported: the board records the register values.',
    ]);
  });

  it('reads a serial line, and uses the file name for a machine without a name', () => {
    const { map, remarks } = read(serialSettings);
    expect(map).toMatchObject({
      maker: 'Besca',
      model: 'Bee v2',
      link: { kind: 'rtu', path: '/dev/ttyUSB0', baud: 19_200, parity: 'even', stopBits: 2, dataBits: 8 },
      unit: 2,
      timeoutMs: 300,
      order: 'CDAB',
    });
    expect(map.channels).toMatchObject({
      bean_temp: { at: 'h:0', as: 'bcd16' },
      exhaust_temp: { at: 'h:1', as: 'bcd32', unit: '°F' },
    });
    expect(remarks).toEqual([
      'The serial port COM5 belongs to another computer. The board uses /dev/ttyUSB0 until you choose another.',
    ]);
  });

  it('reads input 1 as the bean and input 2 as the exhaust temperature, unless the file exchanges them', () => {
    const nothingElse = /^input[3-9].*$|^PID.*$|^slider.*$|^extra.*$/gm;
    const plain = tcpSettings.replaceAll(nothingElse, '');
    expect(placesIn(plain)).toEqual(['h:41', 'h:40', undefined]);
    expect(placesIn(plain.replace('Delay=500', 'swapETBT=false'))).toEqual(['h:41', 'h:40', undefined]);
    expect(placesIn(plain.replace('Delay=500', 'swapETBT=true'))).toEqual([
      'h:40',
      'h:41',
      'The file exchanges ET and BT: input 2 is the bean temperature, input 1 the exhaust temperature.',
    ]);
    expect(placesIn(plain.replace('input2slave=1', 'input2slave=0'))).toEqual(['h:41', undefined, undefined]);
  });

  it('reads the names of later versions, which leave out what has its initial value', () => {
    const name = 'Any.aset';
    expect(read(newerSettings(tcpSettings), name)).toEqual(read(tcpSettings, name));
    expect(read(newerSettings(serialSettings), name)).toEqual(read(serialSettings, name));
    const withoutRate = read(serialSettings.replace('baudrate=19200\n', '')).map.link;
    expect(withoutRate).toMatchObject({ baud: 115_200 });
    // The later name counts where a file has both.
    const both = read(serialSettings.replace('input1slave=2', 'input1slave=2\ninput1deviceId=5')).map;
    expect(both.channels['bean_temp']?.at).toBe('5/h:0');
  });

  it.skipIf(!data.present)(`reads the files of the cases${data.title('')}`, () => {
    const swapped = ofCase('modbus-swapped-et-bt.aset');
    expect(swapped.map.channels).toMatchObject({
      bean_temp: { at: 'h:41', scale: 0.1 },
      exhaust_temp: { at: 'h:40', scale: 0.1 },
    });
    expect(swapped.remarks).toEqual([expect.stringContaining('The file exchanges ET and BT')]);
    const ascii = ofCase('modbus-ascii-two-decimals.aset');
    expect(ascii.map).toMatchObject({
      link: { kind: 'ascii', baud: 38_400, dataBits: 7, parity: 'even', stopBits: 1 },
      channels: {
        bean_temp: { at: 'h:101', as: 'u16', scale: 0.01, unit: '°C' },
        exhaust_temp: { at: 'h:100', as: 'u16', scale: 0.01, unit: '°C' },
      },
    });
  });

  it.each([
    ['Siemens S7', siemensSettings, 'read over Siemens S7'],
    ['another device', '[Device]\nid=18\n[Modbus]\ntype=3\n', 'with another device (number 18)'],
    ['no Modbus', 'no settings at all', 'no Modbus settings'],
    ['UDP', tcpSettings.replace('type=3', 'type=4'), 'Modbus over UDP'],
    [
      'no bean temperature',
      tcpSettings.replace('input1slave=1', 'input1slave=0'),
      'Input 1, Artisan’s bean temperature',
    ],
    [
      'exchanged without a second input',
      tcpSettings.replace('input2slave=1', 'input2slave=0').replace('Delay=500', 'swapETBT=true'),
      'so input 2 is the bean temperature, but it is not set',
    ],
    [
      'a register beyond the table',
      tcpSettings.replace('input1register=41', 'input1register=99999'),
      'address must be 0 to 65535',
    ],
  ])('is refused with a message: %s', (_what, text, says) => {
    expect(() => read(text)).toThrow(says);
  });

  it('refuses files that are not settings', () => {
    for (const text of [
      '',
      '[',
      '[Modbus]\n=',
      `[Modbus]\n${'a=b\n'.repeat(100_000)}`,
      `[Modbus]\ninput1slave=${'9'.repeat(10_000)}`,
    ]) {
      expect(() => read(text)).toThrow(AppError);
    }
  });
});
