import type { ExpiringClient } from '../../src/chains/expiring.js';
import type { Tenant } from '../../src/domain/tenant.js';
import type { CreateWithdrawalBody, WithdrawalObject } from '../../src/withdrawals/withdrawal.schema.js';
import type { WithdrawalsService } from '../../src/withdrawals/withdrawals.service.js';
import { eventually } from './eventually.js';
import type { ExpiringTreasury } from './expiring-treasury.js';
import { ExpiringWalletScene, type WalletFunds } from './expiring-wallet-scene.js';
import { aMerchant, anIntent, aPriceSnapshot } from './factories.js';
import type { ExpiringPlace } from './scene-vault.js';
import { settlementOn } from './settlement.js';
import { withdrawalOrdersOn } from './withdrawal-orders.js';
import { writePlanned } from './write-planned.js';

/** A merchant whose pocket a customer has filled on the chain. */
export interface PaidMerchant<Token extends string = string> {
  readonly token: Token;
  readonly tenant: Tenant;
  readonly pocketId: string;
}

/** A withdrawal as its row says. */
export interface ShownWithdrawal {
  readonly status: string;
  readonly failure_code: string | null;
  readonly waiting_reason: string | null;
  readonly tx_hash: string | null;
  readonly is_signed: boolean;
}

/** A transaction that was signed for a withdrawal. */
export interface SignedPayout {
  readonly id: string;
  readonly status: string;
  readonly tx_hash: string;
  readonly raw: string;
  readonly fee_paid: string | null;
  readonly mined_height: string | null;
  readonly until: string;
}

/** What is paid in these scenes. */
export interface SceneTerms<Token extends string> extends WalletFunds<Token> {
  /** The token that is paid when a spec names none. */
  readonly usual: Token;
  readonly prices: Readonly<Record<Token, string>>;
  /** What an order pays of the coin, in its minor units; of a token it is a dollar. */
  readonly orderedCoins: number;
}

/** Everything between an order of a merchant and a final transaction, on a development chain whose transactions expire. */
export abstract class ExpiringPayoutScene<
  Token extends string,
  Client extends ExpiringClient & { close(): Promise<void> },
> extends ExpiringWalletScene<Token, Client> {
  protected constructor(
    opened: ExpiringPlace,
    private readonly terms: SceneTerms<Token>,
  ) {
    super(opened, terms);
  }

  /** Makes final blocks until one is past the lifetime of everything that is signed. */
  abstract pastExpiry(): Promise<void>;
  /** An address that has nothing. */
  abstract freshAddress(): Promise<string>;

  /** New merchants, whose customers have paid for 25 dollars, or 25 coins. */
  async merchants(count: number, token: Token = this.terms.usual): Promise<readonly PaidMerchant<Token>[]> {
    const chain = this.chain(token);
    const intents = [];
    for (let made = 0; made < count; made += 1) {
      const tenant = await aMerchant(this.database);
      const intent = await anIntent(this.database, { tenant, chain });
      await this.give(intent.address, token === this.terms.coin ? null : token, intent.cryptoAmount);
      intents.push(intent);
    }
    await this.makeFinal();
    const settlement = settlementOn(this.database);
    for (const { id } of intents) {
      await eventually(
        () => this.query(`select from deposit where intent_id = $1 and status = 'confirmed'`, [id]),
        (found) => found.length > 0,
      );
      await settlement.settle(id);
    }
    return Promise.all(
      intents.map(async ({ tenant }) => {
        const [pocket] = await this.query<{ id: string }>(`select id from pocket where merchant_id = $1`, [
          tenant.merchantId,
        ]);
        return { token, tenant, pocketId: pocket?.id ?? '' };
      }),
    );
  }

  async merchant(token: Token = this.terms.usual): Promise<PaidMerchant<Token>> {
    const [merchant] = await this.merchants(1, token);
    if (merchant === undefined) throw new Error('There is no merchant.');
    return merchant;
  }

  /** The orders of merchants, as the API checks and accepts them. */
  ordersBy(worker: ExpiringTreasury = this.worker): WithdrawalsService {
    return withdrawalOrdersOn(this.database, worker.chains);
  }

  /** Reads the prices and the fees that the next order is quoted by. */
  async readQuotes(): Promise<void> {
    await aPriceSnapshot(this.database, this.terms.prices);
    await this.worker.readConditions();
  }

  /** Accepts a withdrawal of one dollar, or of some coins, to a fresh address. */
  async order(
    { tenant, pocketId, token }: PaidMerchant<Token>,
    fields: Partial<CreateWithdrawalBody> = {},
  ): Promise<WithdrawalObject> {
    await this.readQuotes();
    const body: CreateWithdrawalBody = {
      pocket_id: pocketId,
      amount_cents: token === this.terms.coin ? this.terms.orderedCoins : 100,
      destination: fields.destination ?? (await this.freshAddress()),
      fee_strategy: 'standard',
      dry_run: false,
      ...fields,
    };
    return writePlanned(this.database, await this.ordersBy().plan(tenant, body));
  }

  /** Simulates and signs what waits. */
  async sign(): Promise<void> {
    await this.worker.readBalances();
    await this.worker.simulate();
    await this.vaultRole.signer.signWaiting(this.vault);
  }

  /** Sends what is signed, and records how it ended in final blocks. */
  async finish(): Promise<void> {
    await this.worker.send();
    await this.makeFinal();
    await this.worker.confirm();
  }

  async shown(id: string): Promise<ShownWithdrawal | undefined> {
    const [row] = await this.query<ShownWithdrawal>(
      `select status, failure_code, waiting_reason, tx_hash, signed_at is not null as is_signed
         from withdrawal where id = $1`,
      [id],
    );
    return row;
  }

  /** The transactions of a withdrawal, the oldest first. */
  payouts(id: string): Promise<SignedPayout[]> {
    return this.query(
      `select transaction.id, status, tx_hash, raw_transaction as raw, fee_paid, mined_height, valid_until as "until"
         from chain_transaction transaction join transaction_attempt on transaction_id = transaction.id
        where purpose_id = $1 order by nonce`,
      [id],
    );
  }

  /** What the pocket of a merchant can spend, in smallest units. */
  async availableTo({ pocketId }: PaidMerchant<Token>): Promise<bigint> {
    const [row] = await this.query<{ balance: string }>(
      `select balance from pocket join account on account.id = available_account_id where pocket.id = $1`,
      [pocketId],
    );
    return BigInt(row?.balance ?? -1);
  }
}
