import { formatUnits } from '../../domain/money.js';
import { Deposit } from '../../payments/deposits/deposit.entity.js';
import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import { RefundOperationsModule } from '../../suspense/refunds/refund-operations.module.js';
import {
  type OrderedRefund,
  RefundOperations,
  type RefundWish,
} from '../../suspense/refunds/refund-operations.service.js';
import { REFUND_STANDINGS } from '../../suspense/refunds/refund-standing.js';
import { DepositOperations, type Recipient } from '../../suspense/deposit-operations.service.js';
import { SuspenseOperationsModule } from '../../suspense/suspense-operations.module.js';
import { defineCommand, EXIT, type ExitCode, UsageError } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import type { Terminal } from '../terminal.js';

const MODULES = [RefundOperationsModule, SuspenseOperationsModule, UnrecordedMarksModule];

/** `deposits resolve`. */
export const depositsResolve = defineCommand({
  usage: 'deposits resolve <deposit id> --to-pocket ID|--merchant ID|--to-address ADDRESS [--again] --reason TEXT',
  example:
    "npx coffer deposits resolve dep_01k5n6yq2m8r4t0v3w5x7z9abc --merchant mer_... --reason 'paid in USDT by mistake'",
  details:
    'Credits a deposit in suspense to a merchant: to --to-pocket, which must have the same token and network, or to such a\n' +
    'pocket of --merchant. If the address was assigned to a merchant, only that merchant can be credited. This is booked\n' +
    'once and cannot be undone.\n' +
    'Or refunds it to an address on its network: the hot wallet sends the whole deposit. You pay the network fee, whatever\n' +
    'the deposit is worth; the expected fee is printed. Ask the payer for an address, since exchanges do not credit what is\n' +
    'sent back to the address that they paid from.\n' +
    'Refused while the hot wallet has unrecorded transactions, as after a restore: one of them may have refunded the deposit.\n' +
    'With the ..._RPC_URL of the network, the command asks the chain for that.',
  options: {
    'to-pocket': { type: 'string', value: 'ID', about: 'This pocket, pkt_...' },
    merchant: {
      type: 'string',
      value: 'ID',
      about: 'The pocket of this merchant, mer_...; it is created if it is missing.',
    },
    'to-address': { type: 'string', value: 'ADDRESS', about: 'This address, 0x..., from the hot wallet.' },
    again: {
      type: 'boolean',
      about: 'Order a refund again that was paid before a restore and is unrecorded: for treasury adopt --return.',
    },
    reason: reasonOption,
  },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const to = recipientOf(values['to-pocket'], values.merchant, values['to-address']);
    const isAgain = values.again === true;
    if (isAgain && typeof to !== 'string') throw new UsageError('--again is only valid with --to-address.');
    const staff = staffOrder(values.reason);
    const { terminal } = context;
    return withServices(context, { modules: MODULES, chains: true }, async (services) => {
      const order = { ...staff, unknown: await unrecordedOn(services, id) };
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

/** Returns the unrecorded transactions of the hot wallet on the deposit's chain; null when the chain cannot be asked. */
async function unrecordedOn(services: CommandServices, depositId: string): Promise<RefundWish['unknown']> {
  const deposit = await services.database.em().findOne(Deposit, { id: depositId });
  return services.get(UnrecordedMarksReader).of(({ chainRef }) => chainRef === deposit?.chainRef);
}

async function payOut(
  { database, get }: CommandServices,
  { id, to, wish }: AddressOrder,
  terminal: Terminal,
): Promise<ExitCode> {
  const ordered = await database.transaction((tx) => get(RefundOperations).order(tx, id, to, wish));
  terminal.line(`Refund ${ordered.id} is ordered: deposit ${id}, ${ordered.money}, to ${ordered.destination}.`);
  terminal.line(feeLine(ordered));
  terminal.line(`Next: npx coffer refunds show ${ordered.id}`);
  return EXIT.fine;
}

function feeLine({ fee }: OrderedRefund): string {
  if (fee === 'token_changed') return `It waits: ${REFUND_STANDINGS[fee]}`;
  const expected =
    fee === null ? 'its amount is not known now' : `${formatUnits(fee.units, fee.decimals)} ${fee.coin} are expected`;
  return `You pay the network fee: ${expected}.`;
}

/** Returns a pocket, a merchant or an address. */
function recipientOf(
  pocketId: string | undefined,
  merchantId: string | undefined,
  address: string | undefined,
): Recipient | string {
  const [only, ...more] = [pocketId, merchantId, address].filter((value) => value !== undefined);
  if (only === undefined || more.length > 0)
    throw new UsageError('Name exactly one of --to-pocket, --merchant and --to-address.');
  if (address !== undefined) return address;
  return pocketId !== undefined ? { pocketId } : { merchantId: only };
}
