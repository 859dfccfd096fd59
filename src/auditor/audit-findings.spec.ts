import { brokenOf, newFindingsOf } from './audit-findings.js';
import { checkedRule } from './books-verification.js';
import { breachesOf, type BrokenRule, type Finding } from './check.js';

const rule = (named: readonly Finding[], count = named.length): BrokenRule => ({ check: 'sums', count, named });
const short = (gap: string, says = `lacked ${gap}`): Finding => ({ row: 'wallet 1', says, gap });
const plain = (row: string, says = 'is gone'): Finding => ({ row, says });
const rows = (broken: readonly BrokenRule[], known: readonly BrokenRule[]) =>
  newFindingsOf(broken, known).map(({ row }) => row);

it.each<[what: string, now: readonly BrokenRule[], before: readonly BrokenRule[], news: readonly string[]]>([
  ['a first breach', [rule([plain('entry 1')])], [], ['entry 1']],
  ['the same breach', [rule([plain('entry 1')])], [rule([plain('entry 1')])], []],
  ['another row', [rule([plain('entry 1'), plain('entry 2')])], [rule([plain('entry 1')])], ['entry 2']],
  ['another problem of the row', [rule([plain('entry 1', 'changed')])], [rule([plain('entry 1')])], ['entry 1']],
  [
    'another rule about the row',
    [{ ...rule([plain('entry 1')]), check: 'seals' }],
    [rule([plain('entry 1')])],
    ['entry 1'],
  ],
  ['the same gap with other figures', [rule([short('5', 'at block 9')])], [rule([short('5', 'at block 8')])], []],
  ['a gap that grew', [rule([short('6')])], [rule([short('5')])], ['wallet 1']],
  ['a gap that shrank', [rule([short('4')])], [rule([short('5')])], []],
  ['a gap that changed its sign', [rule([short('-1')])], [rule([short('5')])], ['wallet 1']],
  ['a negative gap that grew', [rule([short('-6')])], [rule([short('-5')])], ['wallet 1']],
  ['the same NaN', [rule([short('NaN')])], [rule([short('NaN')])], []],
  ['an amount that became NaN', [rule([short('NaN')])], [rule([short('5')])], ['wallet 1']],
  ['one more than the named ones', [rule([plain('entry 1')], 22)], [rule([plain('entry 1')], 21)], ['22 rows']],
  ['fewer than before', [rule([plain('entry 1')], 20)], [rule([plain('entry 1')], 21)], []],
])('%s: is it news?', (_what, now, before, news) => {
  expect(rows(now, before)).toEqual(news);
});

it('a rule that breaks in two checks is one broken rule, and no new finding the next time', () => {
  const sides = ['seal 1', 'entry 7', null].map((row) =>
    checkedRule({ name: 'seals', rule: '' }, breachesOf(row === null ? null : plain(row))),
  );
  const broken = brokenOf(sides);
  expect(broken).toEqual([{ check: 'seals', count: 2, named: [plain('seal 1'), plain('entry 7')] }]);
  expect(rows(broken, broken)).toEqual([]);
});
