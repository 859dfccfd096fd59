import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/domain/ids.js';
import { type EvmNetwork, NATIVE_COIN } from '../../src/domain/network.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { PocketsService } from '../../src/ledger/pockets.service.js';
import { type Database, type Tx } from '../../src/platform/database/database.js';
import type { SqlParameter } from '../../src/platform/sql/sql.js';
import type { HotWallets } from '../../src/treasury/wallets/hot-wallets.service.js';
import { createVaultFile } from '../../src/vault/vault-file.js';
import { SCRYPT_N } from '../../src/vault/vault-format.js';
import { LocalVault } from '../../src/vault/local-vault.js';
import type { WaitingReason } from '../../src/domain/outgoing-payment.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { aChain, aMerchant, type SeededChain } from './factories.js';
import { RecordingQueue } from './recording-queue.js';
import { simulated } from './simulated-payments.js';
import type { PaymentSpecSigner } from './spec-signer.js';
import { query, queryOne } from './sql.js';
import { vaultServices } from './vault-services.js';

const PASSPHRASE = 'correct horse battery staple';
const COIN = 10n ** 18n;
const DOLLAR = 10n ** 6n;
/** The amount that each withdrawal holds: 25 dollars and a fee of one cent. */
const HELD = 25_010_000n;
const USDT = `0x${'a2'.repeat(20)}`;
const DESTINATION = `0x${'7a'.repeat(20)}`;

/** A requested withdrawal, with its pocket. */
export interface Ordered {
  readonly id: string;
  readonly pocketId: string;
}

export interface OrderTraits {
  /** A merchant has one pocket per token. */
  readonly token?: 'USDC' | 'USDT' | 'POL';
  readonly destination?: string;
  /** The time of the request; now when absent. */
  readonly minutesAgo?: number;
  /** The scene's first chain when absent. */
  readonly chain?: SeededChain;
  /** The amount that the ledger holds for it, in smallest units; amount and fee when absent. */
  readonly held?: bigint;
  /** Whether the worker has found that the destination accepts it; true when absent. */
  readonly isSimulated?: boolean;
}

/** All parts between a withdrawal and its signature, on PostgreSQL alone: a vault, a chain, a funded hot wallet. */
export class PayoutScene {
  private constructor(
    readonly db: TestDatabase,
    readonly chain: SeededChain,
    readonly vault: LocalVault,
    readonly signer: PaymentSpecSigner<WaitingReason>,
    private readonly wallets: HotWallets,
    private readonly dir: string,
    /** The path and the passphrase of the vault file. */
    readonly vaultFile: { readonly path: string; readonly passphrase: string },
  ) {}

  /** On a database of the run's server, or on this one. */
  static async open(given?: TestDatabase): Promise<PayoutScene> {
    const db = given ?? (await freshDatabase());
    const chain = await aChain(db.database);
    const dir = await mkdtemp(join(tmpdir(), 'coffer-payouts-'));
    await createVaultFile(vaultPath(dir), PASSPHRASE, { scryptN: SCRYPT_N.min });
    const vault = await LocalVault.open(vaultPath(dir), PASSPHRASE);
    const { wallets, signer } = vaultServices(db.database, new RecordingQueue().queue);
    const scene = new PayoutScene(db, chain, vault, signer, wallets, dir, {
      path: vaultPath(dir),
      passphrase: PASSPHRASE,
    });
    await scene.prepare(chain);
    await query(
      db.database,
      `insert into sanctions_import (source, published_on, addresses, content_hash) values ('test', now(), 1, repeat('a', 64))`,
    );
    return scene;
  }

  /** Opens a second vault with the same keys; the caller closes it. */
  openVault(): Promise<LocalVault> {
    return LocalVault.open(this.vaultFile.path, this.vaultFile.passphrase);
  }

  get database(): Database {
    return this.db.database;
  }

  /** Runs a statement on the pool of the service. */
  query<Row>(text: string, parameters: readonly SqlParameter[] = []): Promise<Row[]> {
    return query<Row>(this.database, text, parameters);
  }

  async close(): Promise<void> {
    await this.vault.close();
    await this.db.drop();
    await rm(this.dir, { recursive: true });
  }

  /** Adds a chain with a funded hot wallet, which replaces the network's previous chain. */
  async addChain(network: EvmNetwork): Promise<SeededChain> {
    await query(this.database, `update chain set active = false where network = $1`, [network]);
    const chain = await aChain(this.database, { network });
    await this.prepare(chain);
    return chain;
  }

  merchant(): Promise<Tenant> {
    return aMerchant(this.database);
  }

  /** Sets the balance of the hot wallet, in smallest units. */
  async hold(tokens: bigint, coins: bigint, chain = this.chain): Promise<void> {
    for (const [contract, amount] of [
      [chain.contract, tokens],
      [USDT, tokens],
      [NATIVE_COIN, coins],
    ] as const) {
      await query(
        this.database,
        `insert into hot_balance (chain_ref, token_contract, amount, height) values ($1, $2, $3, 1)
         on conflict (chain_ref, token_contract) do update set amount = excluded.amount`,
        [chain.chainRef, contract, amount],
      );
    }
  }

  /** Creates a withdrawal of 25 dollars from a funded pocket, like the API: the money is held, nothing is signed. */
  async order(tenant: Tenant, traits: OrderTraits = {}): Promise<Ordered> {
    const { token = 'USDC', destination = DESTINATION, minutesAgo = 0, chain = this.chain, held = HELD } = traits;
    const { isSimulated = true } = traits;
    const { network, chainRef } = chain;
    const contract = { USDC: chain.contract, USDT, POL: NATIVE_COIN }[token];
    const id = newId('wd_');
    const pocketToken = { ...chain, contract, symbol: token };
    const pocketId = await this.database.transaction((tx) => holdInPocket(tx, tenant, { id, held }, pocketToken));
    await query(
      this.database,
      `insert into withdrawal (id, merchant_id, environment, pocket_id, chain_ref, network, token, token_contract,
         token_decimals, minor_unit_exponent, amount_cents, amount, network_fee_cents, fee_amount, destination,
         destination_key, fee_strategy, status, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 6, 2, 2500, 25000000, 1, 10000, $9, lower($9), 'standard',
               'broadcasting', now() - $10 * interval '1 minute', now())`,
      [
        id,
        tenant.merchantId,
        tenant.environment,
        pocketId,
        chainRef,
        network,
        token,
        contract,
        destination,
        minutesAgo,
      ],
    );
    if (isSimulated) await simulated(this.database, id);
    return { id, pocketId };
  }

  /** Why a withdrawal is not signed; null once it is. */
  async waitsFor(id: string): Promise<string | null> {
    const [row] = await query<{ waiting_reason: string | null; is_signed: boolean }>(
      this.database,
      `select waiting_reason, signed_at is not null as is_signed from withdrawal where id = $1`,
      [id],
    );
    if (row === undefined) throw new Error(`No such withdrawal: ${id}.`);
    return row.is_signed ? null : (row.waiting_reason ?? 'nothing');
  }

  /** Stores the chain's transaction count of the wallet, like the worker; here it includes all of our transactions. */
  async countOnChain({ chainRef }: SeededChain = this.chain): Promise<void> {
    await query(this.database, `update hot_wallet set chain_nonce = next_nonce where chain_ref = $1`, [chainRef]);
  }

  private async prepare(chain: SeededChain): Promise<void> {
    const { chainRef } = chain;
    await this.wallets.provide(this.vault);
    await this.countOnChain(chain);
    await this.hold(1_000_000n * DOLLAR, 1_000n * COIN, chain);
    await query(
      this.database,
      `insert into chain_token (chain_ref, contract, symbol, decimals, minor_unit_exponent, enabled)
       values ($1, $2, 'POL', 18, 8, true), ($1, $3, 'USDT', 6, 2, true)`,
      [chainRef, NATIVE_COIN, USDT],
    );
    await query(
      this.database,
      `insert into fee_round (chain_ref, base_fee, tip_standard, tip_fast, taken_at)
       values ($1, 1000000000, 30000000000, 30000000000, now() + interval '1 hour')`,
      [chainRef],
    );
  }
}

const vaultPath = (dir: string): string => join(dir, 'vault.json');

/** Books a customer's payment, and the entry that holds it for a withdrawal. Returns the pocket's id. */
async function holdInPocket(
  tx: Tx,
  tenant: Tenant,
  order: { readonly id: string; readonly held: bigint },
  token: SeededChain,
): Promise<string> {
  const { asset, chainAccountId, availableAccountId } = await new PocketsService().depositAccounts(tx, tenant, token);
  const pocket = await queryOne<{ id: string; held: string }>(
    tx,
    `select id, held_account_id as held from pocket where available_account_id = $1`,
    [availableAccountId],
  );
  const accounts = [chainAccountId, availableAccountId, Number(pocket.held)];
  for (const [place, kind] of (['deposit', 'withdrawal'] as const).entries()) {
    const amount = kind === 'deposit' ? HELD : order.held;
    if (amount === 0n) continue;
    const [from = 0, to = 0] = accounts.slice(place);
    await new LedgerService().book(tx, {
      reference: `${kind}:${order.id}`,
      kind,
      environment: tenant.environment,
      legs: [
        { accountId: from, asset, amount: -amount },
        { accountId: to, asset, amount },
      ],
    });
  }
  return pocket.id;
}
