import { randomBytes } from 'node:crypto';
import { newId } from '../../src/domain/ids.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import type { Tx } from '../../src/platform/database/database.js';
import { createLogger } from '../../src/platform/logging.js';
import { RefundOperations } from '../../src/suspense/refunds/refund-operations.service.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import { aDeposit, aMerchant, anIntent, type SeededChain } from '../support/factories.js';
import { confirmAsListed, listExactly } from '../support/listed-senders.js';
import { settlementOn } from '../support/settlement.js';
import { query, queryOne } from '../support/sql.js';
import { anUnattributedDeposit } from '../support/unattributed-deposits.js';
import type { Example, Setting } from './admin-operations.js';
import { withdrawalIn } from './find-operations.js';

type Place = Pick<Setting, 'service' | 'environment'>;

/** The ids by which the service knows the two networks that a console test configures. */
const CHAIN_IDS = { sandbox: '97', live: '56' } as const;
const USDC = '0xabc';
const USDT = '0xdef';
const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const HELD = 10n ** 18n + 10n ** 16n;

/** The chain of the environment on which the service could send; one for all tests of a database. */
async function bnbOf({ service: { database }, environment }: Place): Promise<SeededChain> {
  const chainRef = `${environment}-bnb-console`;
  await query(
    database,
    `insert into chain (id, environment, network, family, chain_id, genesis_hash, confirmations, quiet_grace_ms, active)
     values ($1, $2, 'bnb', 'evm', $3, $1, 3, 0, true) on conflict do nothing`,
    [chainRef, environment, CHAIN_IDS[environment]],
  );
  await query(
    database,
    `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
     values ($1, $2, 'USDC', 18, 2, true), ($1, $3, 'USDT', 18, 2, true) on conflict do nothing`,
    [chainRef, USDC, USDT],
  );
  return { chainRef, environment, network: 'bnb', symbol: 'USDC', contract: USDC, decimals: 18, minorUnitExponent: 2 };
}

/** Holds the money of an order in a new pocket; returns the pocket. */
async function hold(
  tx: Tx,
  id: string,
  tenant: { merchantId: string; environment: SeededChain['environment'] },
  chain: SeededChain,
) {
  const { asset, chainAccountId, availableAccountId } = await new PocketsService().depositAccounts(tx, tenant, chain);
  const pocket = await queryOne<{ id: string; held: string }>(
    tx,
    'select id, held_account_id as held from pocket where available_account_id = $1',
    [availableAccountId],
  );
  const moves = [
    ['deposit', chainAccountId, availableAccountId],
    ['withdrawal', availableAccountId, Number(pocket.held)],
  ] as const;
  for (const [kind, from, to] of moves) {
    await new LedgerService().book(tx, {
      reference: `${kind}:${id}`,
      kind,
      environment: tenant.environment,
      legs: [
        { accountId: from, asset, amount: -HELD },
        { accountId: to, asset, amount: HELD },
      ],
    });
  }
  return pocket.id;
}

/** A withdrawal whose money is held, and that waits for an approval. */
export async function bookedWithdrawalIn(place: Place, apiKeyId: string | null = null): Promise<string> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const id = newId('wd_');
  const tenant = { merchantId, environment: place.environment };
  const pocketId = await database.transaction((tx) => hold(tx, id, tenant, chain));
  await query(
    database,
    `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
       token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
       destination_key, fee_strategy, status, waiting_reason, api_key_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'bnb', 'USDC', $6, 18, 2, 100, 1000000000000000000, 1, 10000000000000000,
       $7, lower($7), 'standard', 'broadcasting', 'approval_missing', $8, now(), now())`,
    [id, merchantId, place.environment, pocketId, chain.chainRef, USDC, PAYEE, apiKeyId],
  );
  return id;
}

/** 25 USDT at the address of an intent in USDC, in suspense. */
export async function suspenseDepositIn(place: Place): Promise<{ readonly id: string; readonly merchantId: string }> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const { address } = await anIntent(database, { tenant: { merchantId, environment: place.environment }, chain });
  const id = await anUnattributedDeposit(database, { chain, address, reason: 'other_token', contract: USDT });
  await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
  return { id, merchantId };
}

/** The payment of an intent by a sender on the sanctions list, on hold. */
export async function heldDepositIn(place: Place): Promise<string> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const intent = await anIntent(database, {
    tenant: { merchantId, environment: place.environment },
    chain,
    status: 'processing',
  });
  const id = await aDeposit(database, intent);
  const { from } = await queryOne<{ from: string }>(
    database,
    'select from_address as from from deposit where id = $1',
    [id],
  );
  const [listing = ''] = await listExactly(database, from);
  await confirmAsListed(database, id, listing);
  await settlementOn(database).settle(intent.id);
  return id;
}

/** A deposit whose refund waits for the vault. */
async function refundingDepositIn(setting: Setting): Promise<string> {
  const { database, service } = setting.service;
  const { id } = await suspenseDepositIn(setting);
  await listExactly(database, `0x${randomBytes(20).toString('hex')}`);
  const wish = { actor: 'another@example.com', reason: 'asked for it', unknown: [], isAgain: false };
  await database.transaction((tx) => service.get(RefundOperations).order(tx, id, PAYEE, wish));
  return id;
}

/** An intent whose settlement failed five times. */
export async function quarantinedIntentIn(place: Place): Promise<string> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const { id } = await anIntent(database, { tenant: { merchantId, environment: place.environment }, chain });
  await query(
    database,
    `insert into dirty_intent (intent_id, failures, last_error, quarantined_at) values ($1, 5, 'no space', now())
     on conflict (intent_id) do update set failures = 5, last_error = 'no space', quarantined_at = now()`,
    [id],
  );
  return id;
}

const WHY = { reason: 'ticket 7' };
const merchant = async ({ service: { database }, environment }: Setting, frozenReason: string | null) => {
  const { merchantId } = await aMerchant(database);
  await query(database, 'insert into withdrawal_policy (merchant_id, environment, frozen_reason) values ($1, $2, $3)', [
    merchantId,
    environment,
    frozenReason,
  ]);
  return { kind: 'merchant', id: merchantId };
};

/** An intent that failed with too little money. */
export async function underpaidIntentIn(place: Place): Promise<string> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const tenant = { merchantId, environment: place.environment };
  return (await anIntent(database, { tenant, chain, status: 'failed' })).id;
}

/** A deposit that came after the end of its intent. */
export async function lateDepositIn(place: Place): Promise<string> {
  const { database } = place.service;
  const chain = await bnbOf(place);
  const { merchantId } = await aMerchant(database);
  const tenant = { merchantId, environment: place.environment };
  const intent = await anIntent(database, { tenant, chain, status: 'expired', expiresIn: -600 });
  const id = await aDeposit(database, intent, { status: 'confirmed' });
  await query(database, 'update deposit set late = true where id = $1', [id]);
  return id;
}

/** A frozen hot wallet, whose chain no node can be asked about. */
export async function frozenWalletIn(place: Place): Promise<{ readonly kind: 'network'; readonly id: 'bnb' }> {
  const { chainRef } = await bnbOf(place);
  await query(
    place.service.database,
    `insert into hot_wallet (chain_ref, address, address_key, derivation_path, next_nonce, frozen_reason)
     values ($1, $2, lower($2), 'm/44', 0, 'a leak')`,
    [chainRef, PAYEE],
  );
  return { kind: 'network', id: 'bnb' };
}

/** The operations that decide about money, by their ids. */
export const DECIDE_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  listStaffWithdrawals: () => ({ query: `?status=failed&network=bnb&destination=${PAYEE}` }),
  exportStaffWithdrawals: () => ({ query: '?waits_for=approval' }),
  getStaffWithdrawal: async (setting) => ({ path: { id: await withdrawalIn(setting) } }),
  approveWithdrawal: async (setting) => ({ path: { id: await bookedWithdrawalIn(setting) }, body: WHY }),
  cancelWithdrawal: async (setting) => ({ path: { id: await bookedWithdrawalIn(setting) }, body: WHY }),
  getSigning: () => ({}),
  freezeSigning: async (setting) => ({ body: { ...(await merchant(setting, null)), ...WHY } }),
  unfreezeSigning: async (setting) => ({
    body: { ...(await merchant(setting, 'a leak')), frozen_reason: 'a leak', ...WHY },
  }),
  listDecisions: () => ({ query: '?kind=on_hold' }),
  countDecisions: () => ({}),
  retryIntent: async (setting) => ({ path: { id: await quarantinedIntentIn(setting) }, body: WHY, status: 202 }),
  acknowledgePayment: async (setting) => ({
    body: { kind: 'payment_intent', id: await underpaidIntentIn(setting), note: 'The shop knows.' },
    status: 201,
  }),
  exportDecisions: () => ({ query: '?kind=kept' }),
  exportMismatchedDeposits: () => ({ query: '?network=bnb' }),
  listMismatchedDeposits: () => ({ query: '?network=bnb' }),
  getStaffDeposit: async (setting) => ({ path: { id: (await suspenseDepositIn(setting)).id } }),
  creditDeposit: async (setting) => {
    const { id, merchantId } = await suspenseDepositIn(setting);
    return { path: { id }, body: { merchant_id: merchantId, ...WHY } };
  },
  refundDeposit: async (setting) => {
    const { id } = await suspenseDepositIn(setting);
    await listExactly(setting.service.database, `0x${randomBytes(20).toString('hex')}`);
    return { path: { id }, body: { address: PAYEE, ...WHY } };
  },
  cancelRefund: async (setting) => ({ path: { id: await refundingDepositIn(setting) }, body: WHY }),
  releaseDeposit: async (setting) => ({ path: { id: await heldDepositIn(setting) }, body: WHY }),
  keepDeposit: async (setting) => ({ path: { id: await heldDepositIn(setting) }, body: WHY }),
};
