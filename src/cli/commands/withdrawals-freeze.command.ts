import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import type { StaffOrder } from '../../platform/audit-trail.js';
import type { Tx } from '../../platform/database/database.js';
import { UnrecordedMarksModule } from '../../recovery/unrecorded-marks.module.js';
import { UnrecordedMarksReader } from '../../recovery/unrecorded-marks.service.js';
import type { UnrecordedMarks } from '../../treasury/transactions/unrecorded-payments.js';
import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { SigningFreeze, type FrozenReason } from '../../withdrawals/payouts/signing-freeze.service.js';
import { type CommandContext, defineCommand, EXIT, type ExitCode, oneOf, required, UsageError } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

const MODULES = [UnrecordedMarksModule, WithdrawalPoliciesModule];

const placeOptions = {
  network: { type: 'string', value: 'NAME', about: 'The hot wallet of this network.' },
  merchant: { type: 'string', value: 'ID', about: 'All withdrawals of this merchant, mer_...' },
  env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
  reason: reasonOption,
} as const;
type PlaceValues = { readonly [Name in keyof typeof placeOptions]?: string | undefined };

/** `withdrawals freeze`. */
export const withdrawalsFreeze = defineCommand({
  usage: 'withdrawals freeze --network NAME|--merchant ID --env ENV --reason TEXT',
  example: "npx coffer withdrawals freeze --network polygon --env live --reason 'the key may have leaked'",
  details:
    'When this command ends, nothing more is signed there. Withdrawals are still accepted, and wait. Signed transactions are\n' +
    'still sent and followed until they are final.',
  options: placeOptions,
  run: ({ values }, context) =>
    changeFreeze(values, context, {
      work: (freeze, tx, place, order) =>
        'network' in place ? freeze.freezeNetwork(tx, place, order) : freeze.freezeMerchant(tx, place, order),
      resultOf: (place, before) =>
        before === null
          ? `FROZEN: nothing is signed for ${place} until you unfreeze it.`
          : `${place} was already frozen. It stays frozen for both reasons: ${before}`,
    }),
});

/** `withdrawals unfreeze`. */
export const withdrawalsUnfreeze = defineCommand({
  usage: 'withdrawals unfreeze --network NAME|--merchant ID --env ENV --reason TEXT',
  example: "npx coffer withdrawals unfreeze --network polygon --env live --reason 'a false alarm'",
  details:
    'Waiting withdrawals are signed within seconds, oldest first. Refused, whatever the reason of the freeze, while the hot\n' +
    'wallet has unrecorded transactions (treasury unrecorded), while the chain cannot be asked, and while reorged deposits are\n' +
    'still in the books (deposits reorged).',
  options: {
    ...placeOptions,
    'despite-gone': { type: 'boolean', about: 'Unfreeze although reorged deposits are in the books.' },
    'despite-unasked': { type: 'boolean', about: 'Unfreeze although the chain cannot be asked.' },
  },
  run: ({ values }, context) =>
    changeFreeze(values, context, {
      prepare: unrecordedAt,
      work: (freeze, tx, place, order, unknown) =>
        'network' in place
          ? freeze.unfreezeNetwork(tx, place, order, {
              unknown,
              despiteGone: values['despite-gone'],
              despiteUnasked: values['despite-unasked'],
            })
          : freeze.unfreezeMerchant(tx, place, order),
      resultOf: (place, before) =>
        before === null ? `${place} was not frozen.` : `${place} signs again. It was frozen for: ${before}`,
    }),
});

type Place = Parameters<SigningFreeze['freezeNetwork']>[1] | Parameters<SigningFreeze['freezeMerchant']>[1];

interface FreezeChange {
  /** Asks the chain before the transaction. */
  readonly prepare?: (place: Place, services: CommandServices) => Promise<UnrecordedMarks>;
  readonly work: (
    freeze: SigningFreeze,
    tx: Tx,
    place: Place,
    order: StaffOrder,
    unknown: UnrecordedMarks,
  ) => Promise<FrozenReason>;
  readonly resultOf: (place: string, before: FrozenReason) => string;
}

function changeFreeze(values: PlaceValues, context: CommandContext, change: FreezeChange): Promise<ExitCode> {
  const place = placeOf(values);
  const order = staffOrder(values.reason);
  return withServices(context, { modules: MODULES, chains: change.prepare !== undefined }, async (services) => {
    const { database, get } = services;
    const unknown = (await change.prepare?.(place, services)) ?? null;
    const before = await database.transaction((tx) => change.work(get(SigningFreeze), tx, place, order, unknown));
    const name = `${place.environment}/${'network' in place ? place.network : place.merchantId}`;
    context.terminal.line(change.resultOf(name, before));
    return EXIT.fine;
  });
}

/** Returns the unrecorded transactions on the chain of `place`; null when it cannot be asked. */
function unrecordedAt(place: Place, services: CommandServices): Promise<UnrecordedMarks> {
  return services
    .get(UnrecordedMarksReader)
    .of(
      ({ profile }) =>
        'network' in place && profile.network === place.network && profile.environment === place.environment,
    );
}

function placeOf({ network, merchant, env }: PlaceValues): Place {
  if ((network === undefined) === (merchant === undefined))
    throw new UsageError('Name either --network or --merchant.');
  const environment = oneOf(ENVIRONMENTS, required(env, '--env'), '--env');
  if (network !== undefined) return { environment, network: oneOf(NETWORKS, network, '--network') };
  return { environment, merchantId: required(merchant, '--merchant') };
}
