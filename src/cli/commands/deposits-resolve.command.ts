import { formatUnits } from '../../domain/money.js';
import { EVM_COIN_DECIMALS } from '../../domain/network.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import { RefundOperations, type RefundWish } from '../../suspense/refunds/refund-operations.service.js';
import { DepositOperations, type Recipient } from '../../suspense/deposit-operations.service.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { defineCommand, EXIT, type ExitCode, UsageError } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import type { Terminal } from '../terminal.js';
import { unknownNonces } from './unknown-nonces.js';

const MODULES = [RefundOperationsModule, RestoreModule, SuspenseOperationsModule, TreasuryChainsModule];

/** `deposits resolve`. */
export const depositsResolve = defineCommand({
  usage: 'deposits resolve <deposit id> --to-pocket ID|--merchant ID|--to-address ADDRESS [--again] --reason TEXT',
  example:
    "npx coffer deposits resolve dep_01k5n6yq2m8r4t0v3w5x7z9abc --merchant mer_... --reason 'paid in USDT by mistake'",
  details:
    'Gives a deposit that lies in suspense to a merchant: to a pocket of the same coin on the same network, or to the one\n' +
    'that --merchant has in it. Where its address was given to a merchant, only that one can be given the money. This is\n' +
    'booked once and cannot be taken back.\n' +
    "Or has it paid out to an address on its network, such as the payer's: a return. The whole deposit leaves the hot\n" +
    'wallet, and the network fee is ours, whatever the deposit is worth; what it is expected to be is printed. Ask the payer\n' +
    'for an address: what goes back to the one it came from is credited to nobody where that is an exchange.\n' +
    'Refused while the hot wallet has sent what is not known here, as after a restore: it may be paid out already. With the\n' +
    '..._RPC_URL of its network, the chain is asked for that now.',
  options: {
    'to-pocket': { type: 'string', value: 'ID', about: 'This pocket, pkt_...' },
    merchant: {
      type: 'string',
      value: 'ID',
      about: "This merchant's pocket, mer_...; it is opened when it is missing.",
    },
    'to-address': { type: 'string', value: 'ADDRESS', about: 'This address, 0x..., from the hot wallet.' },
    again: {
      type: 'boolean',
      about: 'It was paid to that address before a restore, and is forgotten: for treasury adopt --return.',
    },
    reason: reasonOption,
  },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const to = recipientOf(values['to-pocket'], values.merchant, values['to-address']);
    const isAgain = values.again === true;
    if (isAgain && typeof to !== 'string') throw new UsageError('Only what was paid to an address is ordered again.');
    const staff = staffOrder(values.reason);
    const { terminal } = context;
    return withServices(context, { modules: MODULES, chains: true }, async (services) => {
      const order = { ...staff, unknown: await unknownOn(services, id) };
      if (typeof to === 'string') return payOut(services, { id, to, wish: { ...order, isAgain } }, terminal);
      const { database, get } = services;
      const { money, pocketId } = await database.transaction((tx) => get(DepositOperations).resolve(tx, id, to, order));
      terminal.line(`Deposit ${id}, ${money}, is in the pocket ${pocketId}.`);
      return EXIT.fine;
    });
  },
});

interface AddressOrder {
  readonly id: string;
  readonly to: string;
  readonly wish: RefundWish;
}

/** What the chain of a deposit counts of its hot wallet, and nothing here explains; null when it cannot be asked. */
async function unknownOn(services: CommandServices, depositId: string): Promise<RefundWish['unknown']> {
  const [deposit] = await services.database.query<{ chain_ref: string }>(
    `select chain_ref from deposit where id = $1`,
    [depositId],
  );
  return unknownNonces(services, ({ chainRef }) => chainRef === deposit?.chain_ref);
}

async function payOut(
  { database, get }: CommandServices,
  { id, to, wish }: AddressOrder,
  terminal: Terminal,
): Promise<ExitCode> {
  const ordered = await database.transaction((tx) => get(RefundOperations).order(tx, id, to, wish));
  terminal.line(`Deposit ${id}, ${ordered.money}, is to be paid out to ${ordered.destination} by ${ordered.id}.`);
  const { fee } = ordered;
  const expected =
    fee === null
      ? 'what it will be is not known now'
      : `${formatUnits(fee.wei, EVM_COIN_DECIMALS)} ${fee.coin} are expected`;
  terminal.line(`The network fee is ours: ${expected}.`);
  terminal.line(`See npx coffer returns show ${ordered.id}`);
  return EXIT.fine;
}

/** A pocket or merchant, or an address. */
function recipientOf(
  pocketId: string | undefined,
  merchantId: string | undefined,
  address: string | undefined,
): Recipient | string {
  const [only, ...more] = [pocketId, merchantId, address].filter((value) => value !== undefined);
  if (only === undefined || more.length > 0) throw new UsageError('Name a pocket, a merchant or an address.');
  if (address !== undefined) return address;
  return pocketId !== undefined ? { pocketId } : { merchantId: only };
}
