import { KeptText } from '../../test/support/cli-run.js';
import { columns, outliveReader, terminalOf } from './terminal.js';

describe('terminalOf', () => {
  it('uses no colours if the output is not a terminal', () => {
    const out = new KeptText();
    const terminal = terminalOf(out, out);
    terminal.line(terminal.paint('red', 'plain'));
    expect(out.text).toBe('plain\n');
  });

  it('keeps results and problems apart, so that results can be piped', () => {
    const [out, err] = [new KeptText(), new KeptText()];
    const terminal = terminalOf(out, err);
    terminal.json({ id: 'mer_1' });
    terminal.problem('look here');
    expect([out.text, err.text]).toEqual(['{"id":"mer_1"}\n', 'look here\n']);
  });
});

describe('outliveReader', () => {
  it('ignores that the reader is gone, and no other error', () => {
    const out = new KeptText();
    outliveReader(out);
    expect(() => out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).not.toThrow();
    expect(() => out.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }))).toThrow('EIO');
  });
});

describe('columns', () => {
  it('aligns cells without trailing blanks', () => {
    expect(
      columns([
        ['a', 'long', ''],
        ['bbb', 'c'],
      ]),
    ).toEqual(['a    long', 'bbb  c']);
  });
});
