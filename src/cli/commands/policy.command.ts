import { ENVIRONMENTS } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import {
  type PolicyChange,
  PolicyOperations,
  type PolicyView,
} from '../../withdrawals/policies/policy-operations.service.js';
import { NEW_DESTINATION_HOURS_MAX } from '../../withdrawals/policies/withdrawal-policy.entity.js';
import { type CommandContext, defineCommand, EXIT, type ExitCode, oneOf, required, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { operator } from '../operator.js';
import { columns } from '../terminal.js';

const needs = { modules: [WithdrawalPoliciesModule] };

const OFF = 'off';
const MERCHANT_ID = 'mer_01k5n6yq2m8r4t0v3w5x7z9abc';

const tenantOptions = {
  merchant: { type: 'string', value: 'ID', about: 'The merchant, mer_...' },
  env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
} as const;

function tenantOf(values: { readonly merchant?: string | undefined; readonly env?: string | undefined }): Tenant {
  return {
    merchantId: required(values.merchant, '--merchant'),
    environment: oneOf(ENVIRONMENTS, required(values.env, '--env'), '--env'),
  };
}

/** `policy show`. */
export const policyShow = defineCommand({
  usage: 'policy show --merchant ID --env ENV',
  example: `npx coffer policy show --merchant ${MERCHANT_ID} --env live`,
  details:
    'Shows the rules that the vault checks before it signs a withdrawal of this merchant. Without rules there is no limit.',
  options: tenantOptions,
  run: ({ values }, context) => {
    const tenant = tenantOf(values);
    return withServices(context, needs, async ({ get }) => {
      const policy = await get(PolicyOperations).show(tenant);
      for (const line of columns(rowsOf(policy))) context.terminal.line(line);
      return EXIT.fine;
    });
  },
});

function rowsOf({
  frozenReason,
  dailyCount,
  allowListOnly,
  newDestinationHours,
  signedToday,
  allowed,
  pockets,
}: PolicyView): string[][] {
  return [
    ['Frozen', frozenReason ?? 'no'],
    ['Withdrawals in 24 hours', `${signedToday} signed, of ${dailyCount ?? 'any number'}`],
    ['Destinations', allowListOnly ? 'only those below' : 'any'],
    ...allowed.map((address) => ['Allowed', address]),
    ['New destinations', newDestinationHours === null ? 'are paid at once' : `wait for ${newDestinationHours} hours`],
    ...pockets.flatMap(({ pocketId, network, token, daily, unapproved }) => [
      ...(daily === null ? [] : [[`Pocket ${pocketId}`, `${daily} ${token} on ${network} in 24 hours`]]),
      ...(unapproved === null
        ? []
        : [[`Pocket ${pocketId}`, `above ${unapproved} ${token} on ${network} only with an approval`]]),
    ]),
  ];
}

/** `policy set`. */
export const policySet = defineCommand({
  usage: 'policy set --merchant ID --env ENV',
  example: `npx coffer policy set --merchant ${MERCHANT_ID} --env live --daily-count 20 --allow-list-only on`,
  details:
    'Withdrawals that a rule does not allow are accepted and wait until it does. `withdrawals cancel` returns the money to\n' +
    'the pocket instead. A destination is new until the hours have passed since the merchant first ordered a withdrawal to\n' +
    'it, or since it was put on the allow-list; `withdrawals approve` approves one before that.',
  options: {
    ...tenantOptions,
    'daily-count': { type: 'string', value: 'N', about: 'Withdrawals signed in any 24 hours; off: no limit.' },
    'allow-list-only': { type: 'string', value: 'on|off', about: 'Pay only to addresses on the allow-list.' },
    'new-destination-hours': { type: 'string', value: 'N', about: 'Hours that a new destination waits; off: none.' },
  },
  run: ({ values }, context) => {
    const tenant = tenantOf(values);
    const change: PolicyChange = {
      ...(values['daily-count'] !== undefined && {
        dailyCount: countOf(values['daily-count'], '--daily-count', DAILY_COUNT),
      }),
      ...(values['allow-list-only'] !== undefined && {
        allowListOnly: oneOf(['on', OFF], values['allow-list-only'], '--allow-list-only') === 'on',
      }),
      ...(values['new-destination-hours'] !== undefined && {
        newDestinationHours: countOf(values['new-destination-hours'], '--new-destination-hours', HOURS),
      }),
    };
    if (Object.keys(change).length === 0) {
      throw new UsageError('Name at least one rule: --daily-count, --allow-list-only or --new-destination-hours.');
    }
    return withServices(context, needs, async ({ database, get }) => {
      const policies = get(PolicyOperations);
      await database.transaction((tx) => policies.set(tx, tenant, change, operator()));
      for (const line of columns(rowsOf(await policies.show(tenant)))) context.terminal.line(line);
      return EXIT.fine;
    });
  },
});

interface Range {
  readonly min: number;
  readonly max: number;
}
const DAILY_COUNT: Range = { min: 0, max: 999_999_999 };
const HOURS: Range = { min: 1, max: NEW_DESTINATION_HOURS_MAX };

function countOf(text: string, option: string, { min, max }: Range): number | null {
  if (text === OFF) return null;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : null;
  if (count === null || count < min || count > max) {
    throw new UsageError(`${option} must be a whole number from ${min} to ${max}, or off.`);
  }
  return count;
}

/** `policy allow`. */
export const policyAllow = defineCommand({
  usage: 'policy allow ADDRESS --merchant ID --env ENV',
  example: `npx coffer policy allow 0x52908400098527886E0F7030069857D2E4169EE7 --merchant ${MERCHANT_ID} --env live`,
  details:
    'The list applies only while `policy set --allow-list-only on` is set. An EVM address counts on every network.',
  options: tenantOptions,
  positionals: { count: 1 },
  run: ({ values, positionals: [address = ''] }, context) => changeList(tenantOf(values), address, true, context),
});

/** `policy disallow`. */
export const policyDisallow = defineCommand({
  usage: 'policy disallow ADDRESS --merchant ID --env ENV',
  example: `npx coffer policy disallow 0x52908400098527886E0F7030069857D2E4169EE7 --merchant ${MERCHANT_ID} --env live`,
  options: tenantOptions,
  positionals: { count: 1 },
  run: ({ values, positionals: [address = ''] }, context) => changeList(tenantOf(values), address, false, context),
});

function changeList(tenant: Tenant, address: string, isAllowed: boolean, context: CommandContext): Promise<ExitCode> {
  return withServices(context, needs, async ({ database, get }) => {
    const policies = get(PolicyOperations);
    const changed = await database.transaction((tx) => policies.allow(tx, tenant, { address, isAllowed }, operator()));
    const { allowListOnly } = await policies.show(tenant);
    const state = isAllowed ? 'on the allow-list' : 'not on the allow-list';
    context.terminal.line(`${address} is ${state}${changed ? '' : ', as it was before'}.`);
    if (!allowListOnly) context.terminal.problem('The list does not apply yet: run policy set --allow-list-only on.');
    return EXIT.fine;
  });
}

/** `policy pocket-limit`. */
export const policyPocketLimit = defineCommand({
  usage: 'policy pocket-limit <pocket id> AMOUNT_CENTS|off',
  example: 'npx coffer policy pocket-limit pkt_01k5n6yq2m8r4t0v3w5x7z9abc 500000',
  details:
    'Limits the amount that may be signed from a pocket in any 24 hours, in minor units: 500000 are 5,000 USDC, or 0.005 of\n' +
    "a chain's own coin.",
  options: {},
  positionals: { count: 2 },
  run: ({ positionals: [pocketId = '', amount = ''] }, context) =>
    setPocket('pocket_limit', pocketId, amount, {
      context,
      resultOf: (daily) => `Limit of pocket ${pocketId} in 24 hours: ${daily}.`,
    }),
});

/** `policy approval-above`. */
export const policyApprovalAbove = defineCommand({
  usage: 'policy approval-above <pocket id> AMOUNT_CENTS|off',
  example: 'npx coffer policy approval-above pkt_01k5n6yq2m8r4t0v3w5x7z9abc 100000',
  details:
    'Withdrawals from the pocket above this amount wait until an operator runs `withdrawals approve`. The amount is in minor\n' +
    "units: 100000 are 1,000 USDC, or 0.001 of a chain's own coin. 0: every withdrawal waits.",
  options: {},
  positionals: { count: 2 },
  run: ({ positionals: [pocketId = '', amount = ''] }, context) =>
    setPocket('approval_threshold', pocketId, amount, {
      context,
      resultOf: (most) => `Largest withdrawal from pocket ${pocketId} without an approval: ${most}.`,
    }),
});

function setPocket(
  rule: Parameters<PolicyOperations['setPocket']>[1],
  pocketId: string,
  amount: string,
  { context, resultOf }: { readonly context: CommandContext; readonly resultOf: (amount: string) => string },
): Promise<ExitCode> {
  const minorUnits = amount === OFF ? null : minorUnitsOf(amount);
  return withServices(context, needs, async ({ database, get }) => {
    const policies = get(PolicyOperations);
    const order = { pocketId, minorUnits };
    context.terminal.line(
      resultOf(await database.transaction((tx) => policies.setPocket(tx, rule, order, operator()))),
    );
    return EXIT.fine;
  });
}

function minorUnitsOf(text: string): bigint {
  if (!/^\d{1,30}$/.test(text)) throw new UsageError('The amount must be a whole number of minor units, or off.');
  return BigInt(text);
}
