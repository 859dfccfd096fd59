import { DepositReversals, type ReorgedDeposit } from '../../suspense/deposit-reversals.service.js';
import { ReorgedDepositsModule } from '../../suspense/reorged-deposits.module.js';
import { ReorgedDeposits } from '../../suspense/reorged-deposits.service.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { expectOfChain } from './deposit-on-chain.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns } from '../terminal.js';

const modules = [ReorgedDepositsModule];

const LISTED_MAX = 500;
const HEAD = ['DEPOSIT', 'IS', 'SINCE', 'CHAIN', 'AMOUNT', 'INTENT', 'MERCHANT', 'TRANSACTION', 'BLOCK'];

/** `deposits gone`. */
export const depositsGone = defineCommand({
  usage: 'deposits gone',
  example: 'npx coffer deposits gone',
  details:
    'Deposits that were final and are gone: every node that answers was found without them. And those that were reversed\n' +
    'and are there again. The oldest first, until books and chain agree; exits 1 when there are any.',
  options: { json: { type: 'boolean', about: 'Print JSON, one deposit a line.' } },
  run: ({ values }, context) =>
    withServices(context, { modules }, async ({ get }) => {
      const gone = await get(DepositReversals).pending(LISTED_MAX);
      const { terminal } = context;
      if (values.json) for (const deposit of gone) terminal.json(jsonOf(deposit));
      else for (const line of columns([HEAD, ...gone.map(cellsOf)])) terminal.line(line);
      if (gone.length === LISTED_MAX) terminal.problem(`Only the oldest ${LISTED_MAX} are shown.`);
      return gone.length > 0 ? EXIT.bad : EXIT.fine;
    }),
});

function cellsOf(deposit: ReorgedDeposit): string[] {
  return [
    deposit.id,
    standingOf(deposit),
    deposit.since,
    `${deposit.environment} ${deposit.network}`,
    `${deposit.amountDecimal} ${deposit.token}`,
    deposit.intentId ?? 'none',
    deposit.merchantId ?? 'none',
    deposit.txHash,
    String(deposit.blockNumber),
  ];
}

const standingOf = ({ isBack }: ReorgedDeposit): string => (isBack ? 'reversed, there again' : 'gone');

function jsonOf(deposit: ReorgedDeposit): object {
  return {
    object: 'gone_deposit',
    id: deposit.id,
    standing: standingOf(deposit),
    since: deposit.since,
    environment: deposit.environment,
    network: deposit.network,
    token: deposit.token,
    amount_decimal: deposit.amountDecimal,
    payment_intent_id: deposit.intentId,
    merchant_id: deposit.merchantId,
    tx_hash: deposit.txHash,
    block_number: deposit.blockNumber,
  };
}

/** `deposits reverse`. */
export const depositsReverse = defineCommand({
  usage: 'deposits reverse <deposit id> --reason TEXT',
  example: "npx coffer deposits reverse dep_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'polygon dropped its block'",
  details:
    'Books a deposit out that is gone from the chain: out of suspense or the frozen account where it is still held, else\n' +
    'against the receivable account, since the merchant keeps what was credited. The intent stays as it is. The nodes are\n' +
    'asked once more, however old the deposit is: each that answers must be without it. What was restored since is booked\n' +
    'out again when it is gone again.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules, chains: true }, async ({ database, get }) => {
      await expectOfChain('gone', id, get(ReorgedDeposits));
      const money = await database.transaction((tx) => get(DepositReversals).reverse(tx, id, order));
      context.terminal.line(`Deposit ${id}, ${money}, is out of the books.`);
      return EXIT.fine;
    });
  },
});

/** `deposits restore`. */
export const depositsRestore = defineCommand({
  usage: 'deposits restore <deposit id> --reason TEXT',
  example: "npx coffer deposits restore dep_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'mined again in block 57'",
  details:
    'Books a reversed deposit in again, to where it was booked out of, once its transaction is final on the chain again,\n' +
    'for which the nodes are asked once more. As often as it was reversed.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules, chains: true }, async ({ database, get }) => {
      await expectOfChain('there', id, get(ReorgedDeposits));
      const money = await database.transaction((tx) => get(DepositReversals).restore(tx, id, order));
      context.terminal.line(`Deposit ${id}, ${money}, is in the books again.`);
      return EXIT.fine;
    });
  },
});
