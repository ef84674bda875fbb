/** Generated settings files in Artisan's format: `[section]` and `key=value`, as Qt stores them. */
const input = (number: number, keys: Readonly<Record<string, string | number | boolean>>): string[] =>
  Object.entries({ slave: 0, code: 3, register: 0, float: false, bcd: false, div: 0, mode: 'C', ...keys }).map(
    ([key, value]) => `input${number}${key}=${value}`,
  );

/** As `text` of a version after 3.2, which has other names for slaves and leaves out what has its initial value. */
export const newerSettings = (text: string): string =>
  text
    .replaceAll(/^(input\d+)slave=/gm, '$1deviceId=')
    .replace('PID_slave_ID', 'PID_device_ID')
    .replaceAll(/^input\d+(?:deviceId=0|code=3|register=0|float=false|bcd=false|div=0|mode=C)\r?\n/gm, '');

export const tcpSettings = [
  '[General]',
  'Delay=500',
  'roastertype_setup=Giesen W15A',
  'roastersize_setup=15',
  '[Device]',
  'id=29',
  '[ExtraDev]',
  'extradevices=33, 55, 61',
  'extraname1={3}, Inlet temp, Ambient',
  'extraname2={0}, "Gas, bar", Humidity',
  'extramathexpression1=, x/2, ',
  'extramathexpression2=, , ',
  '[Modbus]',
  'type=3',
  'host=192.168.2.10',
  'port=1502',
  'IP_timeout=0.4',
  'PID_slave_ID=1',
  'wordorderLittle=false',
  ...input(1, { slave: 1, register: 41, div: 1, Signed: true }),
  ...input(2, { slave: 1, register: 40, div: 1 }),
  ...input(3, { slave: 1, register: 45, mode: '' }),
  ...input(4, { slave: 1, code: 4, register: 46, mode: '' }),
  ...input(5, { slave: 2, register: 100, float: true, mode: 'F' }),
  ...input(6, { slave: 2, register: 102, FloatsAsInt: true, div: 2, mode: '' }),
  ...input(7, { slave: 1, code: 1, register: 7, mode: '' }),
  ...input(8, {}),
  '[Sliders]',
  'slidercommands="write(1,47,{})", , , "write(1,45,{})"',
  '',
].join('\r\n');

export const serialSettings = [
  '[Device]',
  'id=29',
  '[Modbus]',
  'type=0',
  'comport=COM5',
  'baudrate=19200',
  'bytesize=8',
  'parity=E',
  'stopbits=2',
  'timeout=0.3',
  ...input(1, { slave: 2, register: 0, BCDsAsInt: true }),
  ...input(2, { slave: 2, register: 1, bcd: true, mode: 'F' }),
].join('\n');

export const siemensSettings = '[Device]\nid=79\n[S7]\nhost=192.168.0.1\n';
