import { spawnSync } from 'node:child_process';

const MODULE = new URL('./failpoints.ts', import.meta.url).href;

/** Runs `body` with the failpoints armed; returns its output and the signal that ended it. */
function run(armed: readonly string[], body: string): { printed: string; signal: NodeJS.Signals | null } {
  const source = `
    import { armFailpoints, failpoint } from '${MODULE}';
    import { writeSync } from 'node:fs';
    const say = (text) => writeSync(1, text + ' ');
    process.on('exit', () => say('exit'));
    armFailpoints(${JSON.stringify(armed)});
    ${body}`;
  const { stdout, signal } = spawnSync(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
  return { printed: stdout.trim(), signal };
}

describe('a failpoint', () => {
  it('that is not armed does nothing', () => {
    expect(run(['credit.after_commit'], `failpoint('credit.before_commit'); say('passed');`)).toEqual({
      printed: 'passed exit',
      signal: null,
    });
  });

  it('that is armed ends the process at once: no handler runs', () => {
    const body = `try { failpoint('credit.before_commit'); say('passed'); } finally { say('finally'); }`;
    expect(run(['credit.before_commit'], body)).toEqual({ printed: '', signal: 'SIGKILL' });
  });

  it('written as name@k ignores k - 1 calls', () => {
    const body = `for (const i of [1, 2, 3]) { failpoint('hook.before_send'); say(i); }`;
    expect(run(['hook.before_send@3'], body)).toEqual({ printed: '1 2', signal: 'SIGKILL' });
  });
});
