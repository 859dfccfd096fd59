import { ENVIRONMENTS, NETWORKS } from '../../domain/network.js';
import type { StaffOrder } from '../../platform/audit-trail.js';
import type { Tx } from '../../platform/database/database.js';
import { RestoreModule } from '../../recovery/restore.module.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { SigningFreeze, type FrozenReason } from '../../withdrawals/payouts/signing-freeze.service.js';
import { type CommandContext, defineCommand, EXIT, type ExitCode, oneOf, required, UsageError } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { unknownNonces } from './unknown-nonces.js';

const MODULES = [RestoreModule, TreasuryChainsModule, WithdrawalPoliciesModule];

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
    'When this returns, nothing more is signed there. Withdrawals are accepted as ever and wait; what is signed already\n' +
    'is sent and followed to its end.',
  options: placeOptions,
  run: ({ values }, context) =>
    changeFreeze(values, context, {
      work: (freeze, tx, place, order) =>
        'network' in place ? freeze.freezeNetwork(tx, place, order) : freeze.freezeMerchant(tx, place, order),
      told: (place, before) =>
        before === null
          ? `FROZEN: nothing is signed for ${place} until it is unfrozen.`
          : `${place} was frozen already, and stays so for both reasons: ${before}`,
    }),
});

/** `withdrawals unfreeze`. */
export const withdrawalsUnfreeze = defineCommand({
  usage: 'withdrawals unfreeze --network NAME|--merchant ID --env ENV --reason TEXT',
  example: "npx coffer withdrawals unfreeze --network polygon --env live --reason 'a false alarm'",
  details:
    'What waits is signed within seconds, the oldest first. Refused while the chain counts transactions of the hot wallet\n' +
    'that are not known here (treasury unknown), or cannot be asked, and while deposits that were final are gone from the\n' +
    'network and still in the books, whatever it was frozen for.',
  options: {
    ...placeOptions,
    'despite-gone': { type: 'boolean', about: 'Unfreeze although deposits are gone.' },
    'despite-unasked': { type: 'boolean', about: 'Unfreeze although the chain cannot be asked.' },
  },
  run: ({ values }, context) =>
    changeFreeze(values, context, {
      prepare: unknownAt,
      work: (freeze, tx, place, order, unknown) =>
        'network' in place
          ? freeze.unfreezeNetwork(tx, place, order, {
              unknown,
              despiteGone: values['despite-gone'],
              despiteUnasked: values['despite-unasked'],
            })
          : freeze.unfreezeMerchant(tx, place, order),
      told: (place, before) =>
        before === null ? `${place} was not frozen.` : `${place} signs again. It was frozen for: ${before}`,
    }),
});

type Place = Parameters<SigningFreeze['freezeNetwork']>[1] | Parameters<SigningFreeze['freezeMerchant']>[1];

type Nonces = readonly number[] | null;

interface FreezeChange {
  /** What is asked of a chain before the transaction. */
  readonly prepare?: (place: Place, services: CommandServices) => Promise<Nonces>;
  readonly work: (
    freeze: SigningFreeze,
    tx: Tx,
    place: Place,
    order: StaffOrder,
    unknown: Nonces,
  ) => Promise<FrozenReason>;
  readonly told: (place: string, before: FrozenReason) => string;
}

function changeFreeze(values: PlaceValues, context: CommandContext, change: FreezeChange): Promise<ExitCode> {
  const place = placeOf(values);
  const order = staffOrder(values.reason);
  return withServices(context, { modules: MODULES, chains: change.prepare !== undefined }, async (services) => {
    const { database, get } = services;
    const unknown = (await change.prepare?.(place, services)) ?? null;
    const before = await database.transaction((tx) => change.work(get(SigningFreeze), tx, place, order, unknown));
    const name = `${place.environment}/${'network' in place ? place.network : place.merchantId}`;
    context.terminal.line(change.told(name, before));
    return EXIT.fine;
  });
}

/** What its chain counts and nothing here explains; null when that cannot be asked. */
function unknownAt(place: Place, services: CommandServices): Promise<Nonces> {
  return unknownNonces(
    services,
    ({ profile }) =>
      'network' in place && profile.network === place.network && profile.environment === place.environment,
  );
}

function placeOf({ network, merchant, env }: PlaceValues): Place {
  if ((network === undefined) === (merchant === undefined)) throw new UsageError('Name a network or a merchant.');
  const environment = oneOf(ENVIRONMENTS, required(env, '--env'), '--env');
  if (network !== undefined) return { environment, network: oneOf(NETWORKS, network, '--network') };
  return { environment, merchantId: required(merchant, '--merchant') };
}
