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

/** `deposits reorged`. */
export const depositsReorged = defineCommand({
  usage: 'deposits reorged',
  example: 'npx coffer deposits reorged',
  details:
    'Lists final deposits that a reorg removed (gone: every node that answers is without them), and reversed deposits that\n' +
    'are on the chain again, oldest first, until books and chain agree. Exits 1 if there are any.',
  options: { json: { type: 'boolean', about: 'Print JSON, one deposit per line.' } },
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
    'Books out a deposit that a reorg removed: from suspense or the frozen account if it is still there, else against the\n' +
    'receivable account, since the merchant keeps the credit. The intent does not change. The nodes are asked again, however\n' +
    'old the deposit is: each that answers must be without it. A restored deposit can be reversed again.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules, chains: true }, async ({ database, get }) => {
      await expectOfChain('gone', id, get(ReorgedDeposits));
      const money = await database.transaction((tx) => get(DepositReversals).reverse(tx, id, order));
      context.terminal.line(`Deposit ${id}, ${money}, is booked out.`);
      return EXIT.fine;
    });
  },
});

/** `deposits restore`. */
export const depositsRestore = defineCommand({
  usage: 'deposits restore <deposit id> --reason TEXT',
  example: "npx coffer deposits restore dep_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'mined again in block 57'",
  details:
    'Books a reversed deposit in again, to the account it was booked out of. Its transaction must be final on the chain\n' +
    'again, and the nodes are asked for it.',
  options: { reason: reasonOption },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    return withServices(context, { modules, chains: true }, async ({ database, get }) => {
      await expectOfChain('there', id, get(ReorgedDeposits));
      const money = await database.transaction((tx) => get(DepositReversals).restore(tx, id, order));
      context.terminal.line(`Deposit ${id}, ${money}, is booked in again.`);
      return EXIT.fine;
    });
  },
});
