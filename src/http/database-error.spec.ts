import { isDatabaseUnavailable } from './database-error.js';

const coded = (code: string, extra: object = {}): Error => Object.assign(new Error('from pg'), { code, ...extra });

describe('isDatabaseUnavailable', () => {
  it.each(['08006', '57P01', '57P03', '53300', '53100', '40001', '40P01', '55P03', '57014'])(
    'recognises SQLSTATE %s',
    (code) => {
      expect(isDatabaseUnavailable(coded(code))).toBe(true);
    },
  );

  it.each(['23505', '42P01', '22P02'])('ignores SQLSTATE %s, which is a defect', (code) => {
    expect(isDatabaseUnavailable(coded(code))).toBe(false);
  });

  it('checks causes, and the several addresses of one host', () => {
    const refused = new AggregateError([coded('ECONNREFUSED', { syscall: 'connect' })]);
    expect(isDatabaseUnavailable(new Error('outer', { cause: refused }))).toBe(true);
    expect(isDatabaseUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it('is false for a missing file, and for an error that causes itself', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(isDatabaseUnavailable(loop)).toBe(false);
    expect(isDatabaseUnavailable(coded('ENOENT', { syscall: 'stat' }))).toBe(false);
  });
});
