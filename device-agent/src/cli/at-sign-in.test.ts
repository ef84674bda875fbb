import { describe, expect, it } from 'vitest';
import { personalFolder } from './artisan.ts';
import { signInPlan } from './at-sign-in.ts';

const words = ['/home/ada/my agent/dist/main.js', 'artisan'];

describe('signInPlan', () => {
  it('is a user unit on Linux', () => {
    const plan = signInPlan('linux', { home: '/home/ada', node: '/usr/bin/node', words });
    expect(plan.file?.path).toBe('/home/ada/.config/systemd/user/roastery-agent.service');
    expect(plan.file?.text).toContain('ExecStart="/usr/bin/node" "/home/ada/my agent/dist/main.js" "artisan"\n');
    expect(plan.command.join(' ')).toBe('systemctl --user enable --now roastery-agent.service');
  });

  it('is a launch agent on macOS', () => {
    const plan = signInPlan('darwin', { home: '/Users/ada', node: '/usr/local/bin/node', words: ['/a & b/main.js'] });
    expect(plan.file?.path).toBe('/Users/ada/Library/LaunchAgents/roastery-agent.plist');
    expect(plan.file?.text).toContain('<string>/a &amp; b/main.js</string>');
    expect(plan.command[0]).toBe('launchctl');
  });

  it('is a scheduled task on Windows, with no file', () => {
    const plan = signInPlan('win32', { home: 'C:\\Users\\ada', node: 'C:\\node.exe', words: ['C:\\a b\\main.js'] });
    expect(plan.file).toBeUndefined();
    expect(plan.command.slice(0, 5)).toEqual(['schtasks', '/Create', '/F', '/SC', 'ONLOGON']);
    expect(plan.command.at(-1)).toBe('"C:\\node.exe" "C:\\a b\\main.js"');
  });
});

describe('personalFolder', () => {
  it('needs no administrator rights on any system', () => {
    expect(personalFolder('linux', {}, '/home/ada')).toBe('/home/ada/.config/roastery-agent');
    expect(personalFolder('darwin', {}, '/Users/ada')).toBe('/Users/ada/Library/Application Support/roastery-agent');
    expect(personalFolder('win32', { LOCALAPPDATA: '/local' }, '/home')).toBe('/local/roastery-agent');
  });
});
