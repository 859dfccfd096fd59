import { DomainError } from '../../domain/errors.js';
import { AdoptionModule } from '../../recovery/adoption.module.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import { type NonceProgress, UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';
import { type Adopted, Adoption } from '../../recovery/adoption.service.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { WithdrawalOperations } from '../../withdrawals/withdrawal-operations.service.js';
import { chainOptions, namedChain, reachableChain } from '../chain-access.js';
import { CommandFailure, defineCommand, EXIT, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { columns } from '../terminal.js';
import { transactionHashFormOf } from '../../domain/transaction-hash.js';

const LISTED_MAX = 500;
const HASH = /^0x[0-9a-f]{64}$/i;
const HEAD = ['NONCE', 'ON THE CHAIN', 'IN THE DATABASE'];
const WAITING_HEAD = ['MAY HAVE PAID', 'ORDERED', 'AMOUNT', 'TO'];
const PROGRESS: Readonly<Record<NonceProgress, string>> = {
  final: 'final',
  mined: 'mined, not final yet',
  waiting: 'in the pool of a node',
};

/** `treasury unrecorded`. */
export const treasuryUnrecorded = defineCommand({
  usage: 'treasury unrecorded --network NAME [--env ENV]',
  example: 'npx coffer treasury unrecorded --network polygon --env live',
  details:
    'Lists the nonces that the hot wallet has used on the chain and whose transactions are not in the database, as after a\n' +
    'restore of an older state. Nodes cannot find a transaction by its sender: look up the hashes in a block explorer, and\n' +
    'run treasury adopt for each, in this order. Exits 1 if there are any.',
  options: chainOptions,
  run: ({ values }, context) => {
    const named = namedChain(values);
    const { terminal } = context;
    const modules = [RefundOperationsModule, RestoreModule, TreasuryChainsModule, WithdrawalOperationsModule];
    return withServices(context, { modules, chains: true }, async ({ get }) => {
      const chain = await reachableChain(get(TreasuryChains), named);
      const view = await get(UnrecordedTransactions).of(chain);
      if (view === null) throw new DomainError('not_found', 'The vault has created no hot wallet on this chain yet.');
      const { address, nextNonce, nonces } = view;
      terminal.line(`Hot wallet ${address}: the next nonce in the database is ${nextNonce}.`);
      if (nonces.length === 0) {
        terminal.line('It has no unrecorded transaction on the chain.');
        return EXIT.fine;
      }
      const rows = nonces.map(({ nonce, progress, known }) => [
        String(nonce),
        PROGRESS[progress],
        known === null ? 'unrecorded' : `another version of ${known.id}, for ${known.purposeId}`,
      ]);
      for (const line of columns([HEAD, ...rows])) terminal.line(line);
      const unsigned = await get(WithdrawalOperations).unsignedOn(chain.chainRef, LISTED_MAX);
      const refunds = await get(RefundReader).unsignedOn(chain.chainRef, LISTED_MAX);
      const waiting = [
        ...unsigned.map(({ id, orderedAt, amount, destination }) => [id, orderedAt, amount, destination]),
        ...refunds.map((one) => [one.id, one.orderedAt, `${one.amount} ${one.token}`, one.destination]),
      ];
      terminal.line();
      for (const line of columns([WAITING_HEAD, ...waiting])) terminal.line(line);
      terminal.line('They may also be sweeps to the hot wallet, or deployments of its contracts.');
      return EXIT.bad;
    });
  },
});

/** `treasury adopt`. */
export const treasuryAdopt = defineCommand({
  usage: 'treasury adopt <transaction hash>... --network NAME [--env ENV] [--withdrawal ID|--return ID] --reason TEXT',
  example: "npx coffer treasury adopt 0x5f0c... --network polygon --env live --reason 'restored to 03:00'",
  details:
    'Records transactions of the hot wallet that were signed before an older state of the database was restored. Their bytes\n' +
    'show their purpose: the payment of a withdrawal or refund that waits for exactly this payment, a sweep, or the deployment\n' +
    'of a sweep contract. Any other is refused, unless it is final and you record it as a loss, which is yours to claim. An\n' +
    'adopted transaction ends like every other, once it is final. Several hashes are adopted together or not at all; use this\n' +
    'if one was refused because the nonce of another one was given to its order.',
  options: {
    ...chainOptions,
    withdrawal: { type: 'string', value: 'ID', about: 'The withdrawal that it paid, if several are possible, wd_...' },
    return: { type: 'string', value: 'ID', about: 'The refund that it paid, if several are possible, ret_...' },
    'as-loss': { type: 'boolean', about: 'Record it as a loss if no order fits.' },
    supersede: {
      type: 'boolean',
      about:
        'End the transaction that was signed here with its nonce, and freeze the wallet. The order of that one waits again.',
    },
    reason: reasonOption,
  },
  positionals: { count: 1, orMore: true },
  run: ({ values, positionals: hashes }, context) => {
    if (!hashes.every((hash) => HASH.test(hash)))
      throw new UsageError('A transaction hash must be 0x and 64 hexadecimal digits.');
    const named = namedChain(values);
    const staff = staffOrder(values.reason);
    if (values.withdrawal !== undefined && values.return !== undefined)
      throw new UsageError('--withdrawal and --return exclude each other: name the one that was paid.');
    const orderId = values.withdrawal ?? values.return ?? null;
    if (orderId !== null && hashes.length > 1)
      throw new UsageError('--withdrawal and --return allow only one transaction hash.');
    const modules = [AdoptionModule, TreasuryChainsModule];
    return withServices(context, { modules, chains: true }, async ({ get }) => {
      const chain = await reachableChain(get(TreasuryChains), named);
      const order = {
        ...staff,
        txHashes: [...new Set(hashes.map((hash) => transactionHashFormOf(hash)?.key ?? hash))],
        orderId,
        asLoss: values['as-loss'] === true,
        supersede: values.supersede === true,
      };
      const adopted = await get(Adoption)
        .adopt(chain, order)
        .catch((error: unknown) => Promise.reject(withAdvice(error)));
      for (const one of adopted) context.terminal.line(resultOf(one));
      return EXIT.fine;
    });
  },
});

/** Adds advice to the refusal of a transaction that fits no order. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof NoOrderFits)) return error;
  const advice =
    'have the same payment ordered again and name the order with --withdrawal or --return, or record a loss with --as-loss: ' +
    'see docs/operations.md, "Withdrawals after a restore"';
  return new CommandFailure(error.message, advice, { cause: error });
}

const WORDS: Readonly<Record<Adopted['purpose'], string>> = {
  withdrawal: 'withdrawal',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'refund',
  loss: 'loss',
  funding: 'funding',
};

function resultOf({ isNew, nonce, transactionId, purpose, purposeId }: Adopted): string {
  const what = `nonce ${nonce}, ${transactionId}, for ${WORDS[purpose]} ${purposeId}`;
  return isNew
    ? `ADOPTED: ${what}. It ends once it is final on the chain.`
    : `Nothing to do: this transaction is already in the books (${what}).`;
}
