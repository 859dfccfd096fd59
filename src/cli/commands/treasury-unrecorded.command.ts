import { DomainError } from '../../domain/errors.js';
import { UnrecordedSent, type UnrecordedSentView } from '../../recovery/expiring/unrecorded-sent.service.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { type NonceProgress, UnrecordedTransactions } from '../../recovery/unrecorded-transactions.service.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundReader } from '../../suspense/refunds/refund-reader.service.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { type ExpiringChain, type TreasuryChain, TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { WithdrawalOperationsModule } from '../../withdrawals/withdrawal-operations.module.js';
import { WithdrawalOperations } from '../../withdrawals/withdrawal-operations.service.js';
import { chainOptions, namedChain, reachableChain } from '../chain-access.js';
import { defineCommand, EXIT, type ExitCode } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { columns, type Terminal } from '../terminal.js';

const LISTED_MAX = 500;
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
    'Lists the transactions of the hot wallet on the chain that are not in the database, as after a restore of an older state:\n' +
    'on EVM networks the nonces that they have used. Nodes cannot find a transaction there by its sender: look up the hashes in\n' +
    'a block explorer. Where transactions expire, as on Solana, it lists the transactions themselves. Run treasury adopt for\n' +
    'each, in this order. Exits 1 if there are any.',
  options: chainOptions,
  run: ({ values }, context) => {
    const named = namedChain(values);
    const modules = [RefundOperationsModule, RestoreModule, TreasuryChainsModule, WithdrawalOperationsModule];
    return withServices(context, { modules, chains: true }, async (services) => {
      const chain = await reachableChain(services.get(TreasuryChains), named);
      return 'counting' in chain
        ? listNonces(services, chain.counting, context.terminal)
        : listSent(services, chain.expiring, context.terminal);
    });
  },
});

async function listNonces({ get }: CommandServices, chain: TreasuryChain, terminal: Terminal): Promise<ExitCode> {
  const view = await get(UnrecordedTransactions).of(chain);
  if (view === null) throw noWallet();
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
}

async function listSent({ get }: CommandServices, chain: ExpiringChain, terminal: Terminal): Promise<ExitCode> {
  const list = await get(UnrecordedSent).of(chain);
  if (list === null) throw noWallet();
  const { address, transactions } = list;
  if (transactions.length === 0) {
    terminal.line(`Hot wallet ${address} has no unrecorded transaction in a final block.`);
    return EXIT.fine;
  }
  terminal.line(`Hot wallet ${address}: ${transactions.length} final transactions are not in the database.`);
  for (const one of transactions) {
    terminal.line();
    for (const line of linesOf(one)) terminal.line(line);
  }
  return EXIT.bad;
}

const linesOf = ({ txHash, height, minedAt, succeeded, changes, fee, action }: UnrecordedSentView): string[] => [
  txHash,
  `  ${succeeded ? 'succeeded' : 'FAILED'} in block ${height}, ${minedAt?.toISOString() ?? 'at an unknown time'}`,
  `  hot wallet: ${changes} (with a fee of ${fee})`,
  `  ${action}`,
];

const noWallet = (): DomainError =>
  new DomainError('not_found', 'The vault has created no hot wallet on this chain yet.');
