import { runCommand } from '../../../test/support/cli-run.js';

const HASH = `0x${'5f'.repeat(32)}`;
const WHERE = ['--network', 'polygon', '--reason', 'restored to 03:00'] as const;

describe('coffer treasury adopt', () => {
  it.each<[what: string, args: readonly string[], answer: string]>([
    ['no hash', [], 'An argument is missing.'],
    [
      'a value that is no hash, among others',
      [HASH, '0x5f'],
      'A transaction hash must be 0x and 64 hexadecimal digits.',
    ],
    ['two orders', [HASH, '--withdrawal', 'wd_1', '--return', 'ret_1'], 'exclude each other'],
    ['one order and two hashes', [HASH, `0x${'77'.repeat(32)}`, '--return', 'ret_1'], 'only one transaction'],
  ])('takes no %s', async (_what, args, answer) => {
    const { code, err } = await runCommand(['treasury', 'adopt', ...args, ...WHERE], {});
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(answer) });
  });
});
