import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

interface SignInPlan {
  /** Text of the file that the system reads; none on Windows. */
  readonly file?: { readonly path: string; readonly text: string };
  readonly command: readonly [program: string, ...rest: string[]];
}

const name = 'roastery-agent';
const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** How each system starts a program when this user signs in. */
export const signInPlan = (
  platform: NodeJS.Platform,
  { home, node, words }: { readonly home: string; readonly node: string; readonly words: readonly string[] },
): SignInPlan => {
  const quoted = [node, ...words].map((word) => `"${word}"`).join(' ');
  if (platform === 'win32')
    return { command: ['schtasks', '/Create', '/F', '/SC', 'ONLOGON', '/TN', name, '/TR', quoted] };
  if (platform === 'darwin') {
    const path = join(home, 'Library', 'LaunchAgents', `${name}.plist`);
    const list = [node, ...words].map((word) => `    <string>${inXml(word)}</string>`).join('\n');
    const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>${name}</string>
  <key>ProgramArguments</key><array>
${list}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
</dict></plist>
`;
    return { file: { path, text }, command: ['launchctl', 'load', '-w', path] };
  }
  const path = join(home, '.config', 'systemd', 'user', `${name}.service`);
  const text = `[Unit]
Description=Sends Artisan's roasts to the portal

[Service]
ExecStart=${quoted.replaceAll('%', '%%')}
Restart=always
RestartSec=5

[Install]
WantedBy=default.target
`;
  return { file: { path, text }, command: ['systemctl', '--user', 'enable', '--now', `${name}.service`] };
};

/**
 * Makes the system start the agent when this user signs in. The program is copied beside its settings, because npx
 * keeps it in a cache that may be cleared. Returns the exit code.
 */
export const startAtSignIn = async (configDir: string): Promise<number> => {
  const program = join(configDir, 'program');
  await mkdir(program, { recursive: true });
  const source = dirname(process.argv[1] ?? '');
  await cp(source, join(program, 'dist'), { recursive: true });
  await writeFile(join(program, 'package.json'), '{ "type": "module" }\n');
  const words = [join(program, 'dist', 'main.js'), 'artisan', '--config-dir', configDir];
  const { file, command } = signInPlan(process.platform, { home: homedir(), node: process.execPath, words });
  if (file !== undefined) {
    await mkdir(dirname(file.path), { recursive: true });
    await writeFile(file.path, file.text);
  }
  const [called, ...rest] = command;
  try {
    await promisify(execFile)(called, rest);
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\nRun it manually: ${command.join(' ')}\n`,
    );
    return 1;
  }
  process.stdout.write('The agent starts whenever you sign in.\n');
  return 0;
};
