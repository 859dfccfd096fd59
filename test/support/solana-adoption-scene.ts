import { auditAccountChain } from '../../src/cli/chain-audit.js';
import { LedgerService } from '../../src/ledger/ledger.service.js';
import { createLogger } from '../../src/platform/logging.js';
import { SolanaPayer } from '../../src/chains/solana/solana-payer.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import type { SignedBytes } from '../../src/chains/expiring-transaction.js';
import type { FundsMove, UnsignedMoves } from '../../src/chains/solana/unsigned-moves.js';
import type { Adopted } from '../../src/recovery/adoption.service.js';
import { ExpiringAdoption } from '../../src/recovery/expiring/expiring-adoption.service.js';
import { RefundOperations } from '../../src/suspense/refunds/refund-operations.service.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import type { ExpiringChain } from '../../src/treasury/treasury-chains.service.js';
import { SigningFreeze } from '../../src/withdrawals/payouts/signing-freeze.service.js';
import type { AdoptionOptions } from './adoption-scene.js';
import { expectBooksInOrder } from './books.js';
import { eventually } from './eventually.js';
import { type PaidMerchant, SolanaPayoutScene } from './solana-payout-scene.js';

const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };
const DECIMALS = { coin: 9, token: 6 };

/** What an order asks for, by its rows. */
interface Terms {
  readonly recipient: string;
  readonly token: string;
  readonly amount: string;
}

/**
 * Transactions of a hot wallet on a Solana development chain that a restored database does not have: the vault signed them, the
 * chain has them, and no row does.
 */
export class SolanaAdoptionScene {
  private sequence = 2_000;

  private constructor(readonly payouts: SolanaPayoutScene) {}

  static async open(): Promise<SolanaAdoptionScene> {
    return new SolanaAdoptionScene(await SolanaPayoutScene.funded());
  }

  close(): Promise<void> {
    return this.payouts.close();
  }

  /** The chain as the worker reaches it. */
  async chain(): Promise<ExpiringChain> {
    const [chain] = await this.payouts.worker.chains.expiring.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    return chain;
  }

  async adopt(txHash: string, how: AdoptionOptions = {}, orderId: string | null = null): Promise<Adopted> {
    const [adopted] = await this.adoptAll([txHash], how, orderId);
    if (adopted === undefined) throw new Error(`${txHash} was not adopted.`);
    return adopted;
  }

  async adoptAll(
    txHashes: readonly string[],
    { asLoss = false, supersede = false }: AdoptionOptions = {},
    orderId: string | null = null,
  ): Promise<readonly Adopted[]> {
    const order = { ...STAFF, txHashes, orderId, asLoss, supersede };
    return new ExpiringAdoption(this.payouts.database).adopt(await this.chain(), order);
  }

  /** Unfreezes the wallet like staff once every transaction is recorded. */
  async unfreeze(): Promise<void> {
    const place = { environment: 'sandbox', network: 'solana' } as const;
    await this.payouts.database.transaction((tx) =>
      new SigningFreeze().unfreezeNetwork(tx, place, STAFF, { unknown: [] }),
    );
  }

  /** A deposit of 7 dollars that belongs to no intent, in suspense. Returns its id. */
  async suspended(): Promise<string> {
    const { base, database } = this.payouts;
    const { address } = await base.freeAddress();
    const txHash = await base.fund({ owner: address, token: 'USDC', amount: 7_000_000n });
    await this.payouts.makeFinal();
    const [deposit] = await eventually(
      () => {
        base.hurry();
        const final = `select id from deposit where tx_hash = $1 and status = 'confirmed'`;
        return this.payouts.query<{ id: string }>(final, [txHash]);
      },
      (found) => found.length > 0,
    );
    await new SuspenseBooking(database, new LedgerService(), createLogger('silent')).bookFinal();
    return deposit?.id ?? '';
  }

  /** Orders the refund of such a deposit. Returns its id. */
  async refund(): Promise<string> {
    const { database } = this.payouts;
    const deposit = await this.suspended();
    const operations = new RefundOperations(new LedgerService(), this.payouts.vaultRole.refundOutcomes);
    const to = await this.payouts.freshAddress();
    const wish = { ...STAFF, unknown: [], isAgain: false };
    await this.payouts.readQuotes();
    const { id } = await database.transaction((tx) => operations.order(tx, deposit, to, wish));
    return id;
  }

  /** The bytes of the payment of an order that the database has lost. `unitLimit`: too few compute units let it fail. */
  async lostPayment(orderId: string, unitLimit?: number): Promise<SignedBytes> {
    const [terms] = await this.payouts.query<Terms>(
      `select destination_key as recipient, token_contract as token, amount from withdrawal where id = $1
        union all
       select destination_key, token_contract, amount from deposit_return
         join deposit on deposit.id = deposit_id where deposit_return.id = $1`,
      [orderId],
    );
    if (terms === undefined) throw new Error(`There is no order ${orderId}.`);
    return this.paymentElsewhere(terms.recipient, terms.token, BigInt(terms.amount), unitLimit);
  }

  /** The bytes of any payment that no database has. */
  async paymentElsewhere(recipient: string, token: string, amount: bigint, unitLimit?: number): Promise<SignedBytes> {
    const unsigned = await this.planned(recipient, token, amount);
    return this.sign({ ...unsigned, computeUnitLimit: unitLimit ?? unsigned.computeUnitLimit });
  }

  /** Bytes that do what no order asks for. */
  async unordered(moves: readonly FundsMove[]): Promise<SignedBytes> {
    const unsigned = await this.planned(this.payouts.hotWallet, NATIVE_COIN, 1n);
    return this.sign({ ...unsigned, moves, computeUnitLimit: 200_000 });
  }

  /** Puts bytes into a final block. Returns their id. */
  async land(signed: SignedBytes): Promise<string> {
    await this.payouts.handOver(signed);
    await this.payouts.makeFinal();
    return signed.txHash;
  }

  /** Starts a vault on the restored database, and lets the worker find what is missing: the wallet is frozen. */
  async restart(): Promise<void> {
    await this.payouts.restartVault();
    await this.payouts.makeFinal();
    await this.payouts.worker.checkSent();
    expect(await this.payouts.frozenReason()).toContain('not recorded here');
  }

  /** Ends what is adopted, and unfreezes the wallet: nothing is missing any more. Then a new order is paid. */
  async goOn(merchant: PaidMerchant): Promise<void> {
    const { payouts } = this;
    await payouts.worker.confirm();
    await this.unfreeze();
    await payouts.trust();
    expect(await payouts.frozenReason()).toBeNull();
    const { id } = await payouts.order(merchant);
    await payouts.sign();
    await payouts.finish();
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed' });
    await this.expectInOrder();
  }

  /** Asserts the rules of the books, and those that compare them with the chain. */
  async expectInOrder(): Promise<void> {
    const { payouts } = this;
    await payouts.makeFinal();
    await payouts.worker.readBalances();
    await payouts.worker.bookTopUps();
    await expectBooksInOrder(payouts.database);
    const [chain] = await payouts.worker.chains.accounts.active();
    if (chain === undefined) throw new Error('The chain is not served.');
    const { rules } = await auditAccountChain(payouts.database, chain);
    expect(rules.flatMap(({ name, finding }) => (finding === null ? [] : [[name, finding]]))).toEqual([]);
  }

  private async planned(recipient: string, token: string, amount: bigint): Promise<UnsignedMoves> {
    const { hotWallet: sender } = this.payouts;
    const decimals = token === NATIVE_COIN ? DECIMALS.coin : DECIMALS.token;
    const at = await this.payouts.asking((client) => client.conditions());
    this.sequence += 1;
    const payment = { sender, recipient, token, decimals, amount };
    return new SolanaPayer().plan(payment, 'standard', this.sequence, at).unsigned;
  }

  private sign(unsigned: UnsignedMoves): Promise<SignedBytes> {
    return this.payouts.vault.signExpiring('sandbox', [{ kind: 'hot_wallet' }], unsigned);
  }

  /** The states of an order's transactions, the oldest first. */
  async sentFor(id: string): Promise<readonly string[]> {
    return (await this.payouts.payouts(id)).map(({ status }) => status);
  }
}
