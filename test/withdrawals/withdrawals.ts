import { readFileSync } from 'node:fs';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { giveTestCoins } from '../../src/devtools/devnet/test-coin.js';
import { mintTestTokens } from '../../src/devtools/devnet/test-token.js';
import type { EvmNetwork } from '../../src/domain/network.js';
import type { PocketEntryObject, PocketObject } from '../../src/ledger/pocket.schema.js';
import type { Database } from '../../src/platform/database/database.js';
import type { WithdrawalObject, WithdrawalPreviewObject } from '../../src/withdrawals/withdrawal.schema.js';
import type { ApiAnswer, ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { PAYEE_CODE, type PayeeKind } from '../support/payees.js';
import { query } from '../support/sql.js';
import type { World } from '../support/world.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { FINAL_DEPTH } from '../http/paying.js';

/** An address without a key in the tests. */
export const DESTINATION = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** In whole coins or tokens: more than all tests spend. */
const HOT_FUNDS = 1_000_000n;

/** Creates a destination on polygon with code of its own. */
export async function aPayee(world: World, kind: PayeeKind): Promise<string> {
  const { address } = Wallet.createRandom();
  await setPayee(world, address, kind);
  return address;
}

/** Changes the code of a destination on polygon. */
export async function setPayee(world: World, address: string, kind: PayeeKind): Promise<void> {
  await world.chain('polygon').ask(z.unknown(), 'anvil_setCode', address, PAYEE_CODE[kind]);
}

/** Returns the merchant's pocket of a token on a network. */
export async function pocketOn(api: ApiClient, network: string, token = 'USDC'): Promise<PocketObject> {
  const { body } = await api.get<{ data: PocketObject[] }>('/v1/pockets?limit=100');
  const pocket = body.data.find((candidate) => candidate.network === network && candidate.token === token);
  if (pocket === undefined) throw new Error(`There is no pocket of ${token} on ${network}.`);
  return pocket;
}

/** Returns the entries of the pocket, the newest first. */
export async function entriesOf(api: ApiClient, { id }: Pick<PocketObject, 'id'>): Promise<PocketEntryObject[]> {
  return (await api.get<{ data: PocketEntryObject[] }>(`/v1/pockets/${id}/entries`)).body.data;
}

export interface Filling {
  readonly network?: EvmNetwork;
  readonly token?: string;
  /** In minor units of the intent's currency. */
  readonly amountCents?: number;
  /** The client of the pocket's merchant; by default the world's. */
  readonly api?: ApiClient;
}

/** Fills the pocket by a customer's payment, and returns it. */
export async function filledPocket(
  world: World,
  { network = 'polygon', token = 'USDC', amountCents = 100_000, api = world.api }: Filling = {},
): Promise<PocketObject> {
  const intent = await intentWithAddress(api, { network, token, amount_cents: amountCents });
  const amount = BigInt(intent.crypto_amount ?? 0);
  const chain = world.chain(network);
  await chain.pay({ to: addressOf(intent), token: token in chain.chain.tokens ? token : null, amount });
  await chain.mine(FINAL_DEPTH);
  await untilStatus(api, intent.id, 'completed');
  return pocketOn(api, network, token);
}

/** Funds the hot wallet of a network with the coin and every token, and waits until the service may spend them. */
export async function fillHotWallet(world: World, network: EvmNetwork = 'polygon'): Promise<void> {
  const wallet = await eventually(async () => {
    const [row] = await query<{ chain_ref: string; address: string }>(
      world.database,
      `select chain_ref, address from hot_wallet join chain on chain.id = chain_ref where network = $1 and active`,
      [network],
    );
    return row;
  });
  const { chain } = world.chain(network);
  for (const { address, decimals } of Object.values(chain.tokens)) {
    await mintTestTokens(chain.rpcUrl, address, wallet.address, HOT_FUNDS * 10n ** BigInt(decimals));
  }
  await giveTestCoins(chain.rpcUrl, wallet.address, HOT_FUNDS * 10n ** 18n);
  await world.chain(network).mine(FINAL_DEPTH);
  await eventually(
    async () => {
      const seen = await query(world.database, `select from hot_balance where chain_ref = $1 and amount > 0`, [
        wallet.chain_ref,
      ]);
      return seen.length;
    },
    (seen) => seen === Object.keys(chain.tokens).length + 1,
  );
}

/** A gas price in gwei. */
export interface GasPrice {
  readonly baseFee: bigint;
  readonly standard: bigint;
  readonly fast: bigint;
}

/** Sets the gas price of a network: a sample with tomorrow's time stays the newest. */
export async function setGas(database: Database, network: EvmNetwork, gwei: GasPrice): Promise<void> {
  await query(
    database,
    `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
     select id, $2, $3, $4, clock_timestamp() + interval '1 day' from chain where network = $1 and active`,
    [network, ...[gwei.baseFee, gwei.standard, gwei.fast].map((price) => String(price * 10n ** 9n))],
  );
}

/** Freezes the merchant's withdrawals like staff; null unfreezes them. */
export async function freezeMerchant(database: Database, merchantId: string, reason: string | null): Promise<void> {
  await query(
    database,
    `insert into withdrawal_policy (merchant_id, environment, frozen_reason) values ($1, 'sandbox', $2)
     on conflict (merchant_id, environment) do update set frozen_reason = excluded.frozen_reason`,
    [merchantId, reason],
  );
}

/** Fields of an order, which replace or join the usual ones. */
export type Fields = Readonly<Record<string, unknown>>;

/** Sends an order; `fields` replace or join the usual ones. */
export function withdraw(
  api: ApiClient,
  pocketId: string,
  fields: Fields = {},
  idempotencyKey?: string,
): Promise<ApiAnswer<WithdrawalObject>> {
  const body = { pocket_id: pocketId, amount_cents: 1_000, destination: DESTINATION, ...fields };
  return api.post('/v1/withdrawals', body, idempotencyKey === undefined ? {} : { idempotencyKey });
}

/** Creates a withdrawal that must be accepted, and returns it. */
export async function accepted(api: ApiClient, pocketId: string, fields: Fields): Promise<WithdrawalObject> {
  const { status, body, text } = await withdraw(api, pocketId, fields);
  if (status !== 202) throw new Error(`The withdrawal was not accepted: ${text}`);
  return body;
}

/** Returns the preview of an order, by a dry run. */
export async function previewOf(api: ApiClient, pocketId: string, fields: Fields): Promise<WithdrawalPreviewObject> {
  const order = { pocket_id: pocketId, amount_cents: 1_000, destination: DESTINATION, ...fields, dry_run: true };
  const { status, body, text } = await api.post<WithdrawalPreviewObject>('/v1/withdrawals', order);
  if (status !== 200) throw new Error(`The dry run was refused: ${text}`);
  return body;
}

/** Returns the codes of the failing checks of a preview, in their order. */
export const failingIn = ({ failing_checks: checks }: WithdrawalPreviewObject): string[] =>
  checks.map(({ code }) => code);

/** Returns the addresses in a file of the sanctions list that comes with the service. */
export const listedIn = (file: string): string[] =>
  readFileSync(new URL(`../../data/ofac/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Reads the withdrawal by GET. */
export async function getWithdrawal(api: ApiClient, id: string): Promise<WithdrawalObject> {
  const { status, body, text } = await api.get<WithdrawalObject>(`/v1/withdrawals/${id}`);
  if (status !== 200) throw new Error(`The withdrawal was not shown: ${text}`);
  return body;
}

/** Waits until the withdrawal was broadcast and shows the hash of its transaction. */
export function untilBroadcast(api: ApiClient, id: string): Promise<WithdrawalObject & { tx_hash: string }> {
  return eventually(async () => {
    const withdrawal = await getWithdrawal(api, id);
    return withdrawal.tx_hash === null ? null : { ...withdrawal, tx_hash: withdrawal.tx_hash };
  }, 30_000);
}

/** Waits until the withdrawal has ended in this status. */
export function untilEnded(
  api: ApiClient,
  id: string,
  status: WithdrawalObject['status'],
  timeoutMs = 30_000,
): Promise<WithdrawalObject> {
  return eventually(async () => {
    const withdrawal = await getWithdrawal(api, id);
    expect(withdrawal.status).toBe(status);
    return withdrawal;
  }, timeoutMs);
}
