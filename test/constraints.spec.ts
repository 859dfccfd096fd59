import type { BooksAudit } from '../src/auditor/books-audit.entity.js';
import { TOLERANCE_BPS_MAX } from '../src/auth/merchants.service.js';
import { NATIVE_POSITION } from '../src/chains/chain.js';
import { NETWORK_PROFILES } from '../src/chains/networks.js';
import type { CreditedObstacle, OtherAccountObstacle } from '../src/domain/account-obstacle.js';
import { ATTEMPTS_MAX } from '../src/domain/webhook-retry-schedule.js';
import { OPEN_STATUSES, TERMINAL_STATUSES } from '../src/domain/intent-state.js';
import { ENVIRONMENTS, NATIVE_COIN } from '../src/domain/network.js';
import { AMOUNT_CENTS_MAX } from '../src/domain/quote.js';
import { SWEEP_ITEMS_MAX } from '../src/domain/sweep-plan.js';
import { WRITE_STATUSES } from '../src/idempotency/idempotent-writes.js';
import { type Account, HOLDING_ACCOUNT_KINDS } from '../src/ledger/account.entity.js';
import type { Chain } from '../src/offers/chain.entity.js';
import type { AcknowledgedKind } from '../src/payments/intents/acknowledgement.entity.js';
import type { PoolAddress } from '../src/payments/addresses/pool-address.entity.js';
import type { Deposit } from '../src/payments/deposits/deposit.entity.js';
import type { PaymentIntent } from '../src/payments/intents/payment-intent.entity.js';
import { textList } from '../src/platform/database/text-list.js';
import type { SanctionedAddress } from '../src/sanctions/sanctioned-address.entity.js';
import type { SandboxPayment } from '../src/sandbox/sandbox-payment.entity.js';
import type { StaffRole } from '../src/staff/permissions.js';
import type { Refund } from '../src/suspense/refunds/refund.entity.js';
import type { PaymentSimulation } from '../src/treasury/simulation/payment-simulation.entity.js';
import type { SweepContract } from '../src/treasury/sweeps/sweep-contract.entity.js';
import type { Sweep } from '../src/treasury/sweeps/sweep.entity.js';
import type { ChainTransaction } from '../src/treasury/transactions/chain-transaction.entity.js';
import type { VaultAudit } from '../src/treasury/vault-audit.entity.js';
import type { Delivery } from '../src/webhooks/deliveries/delivery.entity.js';
import type { ReplayJob } from '../src/webhooks/replays/replay-job.entity.js';
import type { ReplayTarget } from '../src/webhooks/replays/replay-target.entity.js';
import { INBOX_ANSWERS } from '../src/sandbox/inbox/webhook-inbox.entity.js';
import type { WebhookRecovery } from '../src/webhooks/recoveries/webhook-recovery.entity.js';
import { NEW_DESTINATION_HOURS_MAX } from '../src/withdrawals/policies/withdrawal-policy.entity.js';
import type { StakeOrder } from '../src/treasury/stakes/stake-order.entity.js';
import type { Withdrawal } from '../src/withdrawals/withdrawal.entity.js';
import { freshDatabase } from './support/database.js';
import { query } from './support/sql.js';

// The migrations repeat rules of the code: the values of a column, and its limits. If the two drift apart, the database
// refuses the service's writes permanently.

/** Returns all values of a union. The compiler refuses a record with a missing or an extra value. */
const all = <Value extends string>(values: Readonly<Record<Value, true>>): readonly string[] => Object.keys(values);

const ROLES = all<StaffRole>({ none: true, viewer: true, support: true, admin: true });
const POCKET_KINDS = ['pocket_available', 'pocket_held'];

/** The values that a check lists, by its name. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  acknowledgement_subject_kind_check: all<AcknowledgedKind>({ payment_intent: true, deposit: true }),
  credited_account_obstacle_check: all<CreditedObstacle>({
    frozen: true,
    delegated: true,
    foreign_close_authority: true,
    replaced: true,
  }),
  other_account_obstacle_check: all<OtherAccountObstacle>({
    frozen: true,
    delegated: true,
    foreign_close_authority: true,
    too_many: true,
  }),
  audit_entry_role_check: ROLES,
  webhook_inbox_answer_check: INBOX_ANSWERS,
  staff_sandbox_role_check: ROLES,
  staff_live_role_check: ROLES,
  account_kind_check: all<Account['kind']>({
    pocket_available: true,
    pocket_held: true,
    chain: true,
    fee_income: true,
    network_fees: true,
    receivable: true,
    capital: true,
    suspense: true,
    frozen: true,
    returning: true,
  }),
  books_audit_scope_check: all<BooksAudit['scope']>({ everything: true, new_entries: true }),
  chain_family_check: all<Chain['family']>({ evm: true, solana: true, tron: true }),
  chain_transaction_purpose_check: all<ChainTransaction['purpose']>({
    withdrawal: true,
    sweep: true,
    contract: true,
    deposit_return: true,
    loss: true,
    funding: true,
    energy_loan: true,
    energy_return: true,
    stake: true,
  }),
  chain_transaction_status_check: all<ChainTransaction['status']>({
    signed: true,
    succeeded: true,
    reverted: true,
    abandoned: true,
    superseded: true,
    expired: true,
  }),
  delivery_status_check: all<Delivery['status']>({
    pending: true,
    held: true,
    delivered: true,
    dead_letter: true,
    cancelled: true,
  }),
  deposit_status_check: all<Deposit['status']>({ seen: true, confirmed: true, orphaned: true }),
  deposit_unattributed_reason_check: all<NonNullable<Deposit['unattributedReason']>>({
    other_network: true,
    other_token: true,
    address_not_assigned: true,
  }),
  deposit_return_status_check: all<Refund['status']>({ broadcasting: true, completed: true, failed: true }),
  payment_intent_failure_code_check: all<NonNullable<PaymentIntent['failureCode']>>({
    underpaid: true,
    payment_on_hold: true,
  }),
  payment_intent_status_check: all<PaymentIntent['status']>({
    created: true,
    requires_action: true,
    processing: true,
    completed: true,
    failed: true,
    cancelled: true,
    expired: true,
  }),
  payment_simulation_outcome_check: all<PaymentSimulation['outcome']>({
    accepts: true,
    rejects: true,
    needs_gas: true,
    unconfirmed: true,
  }),
  payment_simulation_purpose_check: all<PaymentSimulation['purpose']>({ withdrawal: true, deposit_return: true }),
  pool_address_family_check: all<PoolAddress['family']>({ evm: true, solana: true, tron: true }),
  sanctioned_address_family_check: all<SanctionedAddress['family']>({
    evm: true,
    solana: true,
    tron: true,
    other: true,
  }),
  sandbox_payment_status_check: all<SandboxPayment['status']>({
    queued: true,
    signed: true,
    sent: true,
    final: true,
    failed: true,
  }),
  replay_job_status_check: all<ReplayJob['status']>({ running: true, paused: true, stopped: true, done: true }),
  replay_job_verb_check: all<ReplayJob['verb']>({ resend: true, recover: true, send_missing: true }),
  replay_target_status_check: all<ReplayTarget['status']>({ open: true, done: true, disabled: true, deleted: true }),
  stake_order_move_check: all<StakeOrder['move']>({ stake: true, unstake: true, withdraw: true }),
  sweep_contract_kind_check: all<SweepContract['kind']>({ delegate: true, batch: true }),
  sweep_contract_trouble_check: all<NonNullable<SweepContract['trouble']>>({
    no_deployment_proxy: true,
    foreign_code: true,
    deployment_failed: true,
  }),
  sweep_reason_check: all<Sweep['reason']>({ threshold: true, withdrawal: true }),
  vault_audit_verdict_check: all<VaultAudit['verdict']>({ signed: true, refused: true, adopted: true }),
  webhook_recovery_status_check: all<WebhookRecovery['status']>({ queued: true, completed: true, stopped: true }),
  withdrawal_fee_strategy_check: all<Withdrawal['feeStrategy']>({ standard: true, fast: true }),
  withdrawal_status_check: all<Withdrawal['status']>({ broadcasting: true, completed: true, failed: true }),
  // Of two columns: which deposits are held as what, and which accounts carry a balance.
  deposit_held_check: all<NonNullable<Deposit['heldAs']>>({
    suspense: true,
    frozen: true,
    kept: true,
    returning: true,
  }),
  account_check1: [...POCKET_KINDS, ...HOLDING_ACCOUNT_KINDS],
};

/** The limits that a check sets, by its name, and those that the code keeps. */
const LIMITS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  delivery_attempt_number_check: [1, ATTEMPTS_MAX],
  merchant_underpayment_tolerance_bps_check: [0, TOLERANCE_BPS_MAX],
  payment_intent_amount_cents_check: [1, AMOUNT_CENTS_MAX],
  payment_intent_tolerance_bps_check: [0, TOLERANCE_BPS_MAX],
  sweep_item_position_check: [0, SWEEP_ITEMS_MAX - 1],
  withdrawal_policy_new_destination_hours_check: [1, NEW_DESTINATION_HOURS_MAX],
};

const tokens = NETWORK_PROFILES.flatMap((profile) => profile.tokens);

/** The values that the code writes to columns whose check is only a plausible range, by the name of the check. */
const WRITTEN: Readonly<Record<string, readonly number[]>> = {
  chain_token_decimals_check: tokens.map(({ decimals }) => decimals),
  chain_token_minor_unit_exponent_check: tokens.map(({ minorUnitExponent }) => minorUnitExponent),
  idempotency_record_status_check: WRITE_STATUSES,
};

interface Check {
  readonly name: string;
  readonly definition: string;
  readonly columns: number;
}

const db = await freshDatabase();
afterAll(() => db.drop());
const checks = await query<Check>(
  db.owner,
  `select conname as name, pg_get_constraintdef(oid) as definition, cardinality(conkey) as columns
     from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`,
);

const definitionOf = (wanted: string): string => checks.find(({ name }) => name === wanted)?.definition ?? '';
const isList = ({ definition, columns }: Check): boolean => columns === 1 && definition.includes(' = ANY (');
const RANGE = /^CHECK \(\(\("?\w+"? >= (-?\d+)\) AND \("?\w+"? <= '?(\d+)'?(?:::bigint)?\)\)\)$/;
const valuesIn = (definition: string): string[] =>
  [...definition.matchAll(/'([^']*)'::text/g)].map(([, value = '']) => value);
const limitsIn = (definition: string): number[] => (RANGE.exec(definition) ?? []).slice(1).map(Number);
const isOfEnvironments = ({ name }: Check): boolean => name.endsWith('_environment_check');

describe('a check of the database', () => {
  it.each(Object.entries(VALUES))('%s lists the values of the code', (name, values) => {
    expect(valuesIn(definitionOf(name)).toSorted()).toEqual(values.toSorted());
  });

  it('of an environment lists those of the code, wherever there is one', () => {
    const found = checks.filter(isOfEnvironments);
    expect(found.length).toBeGreaterThan(10);
    for (const { definition } of found) expect(valuesIn(definition)).toEqual([...ENVIRONMENTS]);
  });

  it.each(Object.entries(LIMITS))('%s sets the limits of the code', (name, limits) => {
    expect(limitsIn(definitionOf(name))).toEqual(limits);
  });

  it.each(Object.entries(WRITTEN))('%s lets through what the code writes', (name, written) => {
    const [min = NaN, max = NaN] = limitsIn(definitionOf(name));
    expect(written.length).toBeGreaterThan(0);
    for (const value of written) expect(value >= min && value <= max).toBe(true);
  });

  it('of a coin means what the code writes in the place of a contract, and of a position', () => {
    const found = checks.flatMap(({ definition }) =>
      [...definition.matchAll(/token_contract (?:=|<>) '([^']*)'/g)].map(([, contract]) => contract),
    );
    expect(found.length).toBeGreaterThan(3);
    expect(new Set(found)).toEqual(new Set([NATIVE_COIN]));
    expect(definitionOf('deposit_position_check')).toContain(`("position" = '${NATIVE_POSITION}'::integer)`);
  });

  it('of an index or a trigger lists the open and the ended statuses of intents as the code does', async () => {
    const indexes = await query<{ definition: string }>(
      db.owner,
      `select pg_get_indexdef(indexrelid) as definition from pg_index where indrelid = 'payment_intent'::regclass`,
    );
    const listed = indexes.flatMap(({ definition }) =>
      [...definition.matchAll(/status = ANY \(ARRAY\[([^\]]*)\]/g)].map(([, list = '']) => valuesIn(list)),
    );
    expect(listed.length).toBeGreaterThan(4);
    for (const statuses of listed) expect(statuses).toEqual(OPEN_STATUSES);
    const [guard] = await query<{ source: string }>(
      db.owner,
      `select prosrc as source from pg_trigger join pg_proc on pg_proc.oid = tgfoid where tgname = 'payment_intent_guard'`,
    );
    expect(guard?.source).toContain(`old.status in ${textList(TERMINAL_STATUSES)}`);
  });

  it('that lists values or sets limits is compared here, each of them', () => {
    const lists = checks.filter((check) => isList(check) && !isOfEnvironments(check));
    expect(lists.map(({ name }) => name).filter((name) => VALUES[name] === undefined)).toEqual([]);
    const ranges = checks.filter(({ definition }) => RANGE.test(definition));
    const compared = new Set([...Object.keys(LIMITS), ...Object.keys(WRITTEN)]);
    expect(ranges.map(({ name }) => name).filter((name) => !compared.has(name))).toEqual([]);
  });
});
