import { COMMANDS } from '../../src/cli/commands.js';
import { INTENT_STATUSES, INTENT_TRANSITIONS } from '../../src/domain/intent-state.js';
import { FAILURE_CODES, WITHDRAWAL_STATUSES } from '../../src/domain/withdrawal.js';
import { CONFIG_VARIABLES } from '../../src/platform/config.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const readme = readDocument('README.md');

describe('README.md', () => {
  it('explains exactly the variables that the configuration reads', () => {
    const explained = tableUnder(readme, 'Configuration').map(([name = '']) => name);
    expect(explained.toSorted()).toEqual([...CONFIG_VARIABLES].toSorted());
  });

  it('shows exactly the transitions of a payment intent', () => {
    const shown = tableUnder(readme, 'Payment intent').map(([from, to]) => `${from} -> ${to}`);
    const legal = INTENT_STATUSES.flatMap((from) => {
      const targets = INTENT_TRANSITIONS[from];
      return targets.length === 0 ? [`${from} -> none`] : targets.map((to) => `${from} -> ${to}`);
    });
    expect(shown.toSorted()).toEqual(legal.toSorted());
  });

  it('shows exactly the statuses of a withdrawal, and that both ends are ends', () => {
    const shown = tableUnder(readme, 'Withdrawal').map(([from, to]) => `${from} -> ${to}`);
    const [first, ...ends] = WITHDRAWAL_STATUSES;
    expect(shown).toEqual([
      `(creation) -> ${first}`,
      ...ends.map((end) => `${first} -> ${end}`),
      ...ends.map((end) => `${end} -> none`),
    ]);
  });

  it('explains each failure of a withdrawal', () => {
    expect(tableUnder(readme, 'Failed withdrawals').map(([code]) => code)).toEqual(FAILURE_CODES);
  });

  it('lists every command, with its own summary', () => {
    const listed = tableUnder(readme, 'Commands').map(([command, summary = '']) =>
      `${command}: ${summary}`.toLowerCase(),
    );
    expect(listed).toEqual(COMMANDS.map(({ name, summary }) => `coffer ${name}: ${summary}`.toLowerCase()));
  });
});
