import { runCommand } from '../../test/support/cli-run.js';
import { COMMANDS } from './commands.js';

describe('the command line', () => {
  it('lists every command when it is asked for help, and when it is called without a command', async () => {
    const asked = await runCommand(['--help']);
    expect(asked.code).toBe(0);
    for (const { name, summary } of COMMANDS) expect(asked.out).toMatch(new RegExp(`  ${name} +${summary}\n`));

    const bare = await runCommand([]);
    expect(bare).toEqual({ code: 2, out: '', err: asked.out });
  });

  it.each(COMMANDS.map(({ name }) => [name]))(
    'explains "%s" with an example, however help is asked for',
    async (name) => {
      const words = name.split(' ');
      const { code, out, err } = await runCommand([...words, '--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain(`Usage: npx coffer ${name}`);
      expect(out).toMatch(new RegExp(`Example:\n  .*${words[0]}`));
      expect(await runCommand([...words, '-h'])).toEqual({ code, out, err });
      expect(await runCommand(['help', ...words])).toEqual({ code, out, err });
    },
  );

  it.each(COMMANDS.map(({ name }) => [name]))(
    'refuses an option that "%s" does not have with exit code 2',
    async (name) => {
      const { code, out, err } = await runCommand([...name.split(' '), '--no-such-option']);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`coffer ${name}: Unknown option '--no-such-option'.`);
      expect(err).toContain(`Try: npx coffer ${name} --help`);
    },
  );

  it.each(COMMANDS.flatMap(({ name, formerName }) => (formerName === undefined ? [] : [[formerName, name]])))(
    'still runs "%s" as "%s", and lists the latter only',
    async (formerName = '', name = '') => {
      const [formerWords, words] = [formerName.split(' '), name.split(' ')];
      expect(await runCommand([...formerWords, '--help'])).toEqual(await runCommand([...words, '--help']));
      expect(await runCommand([...formerWords, '--no-such-option'])).toMatchObject({
        code: 2,
        err: expect.stringContaining(`coffer ${name}: Unknown option '--no-such-option'.`),
      });
      const overviews = [await runCommand(['--help']), await runCommand([formerWords[0] ?? '', '--help'])];
      for (const { code, out } of overviews) {
        expect(code).toBe(0);
        expect(out).toContain(`  ${name} `);
        expect(out).not.toContain(`  ${formerName} `);
      }
    },
  );

  it('keeps the former names of renamed commands', () => {
    const renamed = COMMANDS.flatMap(({ name, formerName }) => (formerName === undefined ? [] : [[formerName, name]]));
    expect(renamed).toEqual([
      ['deposits unattributed', 'deposits mismatched'],
      ['deposits gone', 'deposits reorged'],
      ['returns waiting', 'refunds waiting'],
      ['returns show', 'refunds show'],
      ['returns cancel', 'refunds cancel'],
      ['treasury unknown', 'treasury unrecorded'],
    ]);
  });

  it('lists the commands of a group', async () => {
    const { code, err } = await runCommand(['key']);
    expect(code).toBe(2);
    expect(err.match(/^ {2}\w+ \w+/gm)).toEqual(['  key create', '  key revoke', '  key list']);
    expect((await runCommand(['key', '--help'])).code).toBe(0);
  });

  it.each([
    ['a command that does not exist', ['frobnicate'], /there is no command "frobnicate"/],
    ['a word too many', ['key', 'revoke', 'key_1', 'key_2'], /Too many arguments/],
    ['a missing argument', ['key', 'revoke'], /An argument is missing/],
    ['a missing option', ['key', 'create', '--env', 'sandbox'], /--merchant is missing/],
    ['an empty option', ['merchant', 'create', '--name', ' '], /--name is missing/],
    [
      'an environment that does not exist',
      ['key', 'create', '--merchant', 'm', '--env', 'test'],
      /--env must be one of sandbox, live/,
    ],
    ['an option without its value', ['merchant', 'create', '--name'], /argument missing/],
    ['a network that does not exist', ['demo', '--network', 'dogecoin'], /--network must be one of ethereum, polygon/],
    ['an amount that is no amount', ['demo', '--amount-cents', '1.5'], /--amount-cents must be a whole number/],
    ['a retry of nothing', ['deliveries', 'retry'], /An argument is missing/],
    ['a recovery of nothing', ['deliveries', 'recover', '--since', '2026-01-01'], /--endpoint is missing/],
    ['a recovery without a time', ['deliveries', 'recover', '--endpoint', 'we_1'], /--since is missing/],
    [
      'a time that is no time',
      ['deliveries', 'recover', '--endpoint', 'we_1', '--since', 'yesterday'],
      /--since is not a date/,
    ],
    ['a status that does not exist', ['deliveries', 'list', '--status', 'lost'], /--status must be one of pending/],
    ['a vault without a passphrase', ['vault', 'init'], /VAULT_PASSPHRASE is not set/],
  ])('answers %s with exit code 2', async (_what, args, message) => {
    const { code, err } = await runCommand(args);
    expect(err).toMatch(message);
    expect(code).toBe(2);
  });

  it('names every invalid variable, with exit code 2, and still prints help', async () => {
    const environment = { PORT: 'x', DATABASE_URL: 'mysql://db' };
    const { code, err } = await runCommand(['merchant', 'list'], environment);
    expect(code).toBe(2);
    expect(err).toMatch(/- PORT: .*\n.*- DATABASE_URL: /);
    expect((await runCommand(['merchant', 'list', '--help'], environment)).code).toBe(0);
  });

  it('says that a database cannot be reached and never its password, with exit code 1', async () => {
    const { code, err } = await runCommand(['merchant', 'list'], {
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/shop',
    });
    expect(code).toBe(1);
    expect(err).toMatch(/The database shop at 127\.0\.0\.1:1 cannot be used\..*ECONNREFUSED.*check DATABASE_URL/s);
    expect(err).not.toContain('hunter2');
  });
});
