import type { SignedBytes } from '../../chains/expiring-transaction.js';
import { changing, together } from '../../../test/support/solana-lies.js';
import { type PaidMerchant, SolanaPayoutScene } from '../../../test/support/solana-payout-scene.js';
import { query } from '../../../test/support/sql.js';

const LIFETIME_MS = 120_000;
const LAMPORTS = 1_000_000n;

let scene: SolanaPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await SolanaPayoutScene.funded();
  merchants = [...(await scene.merchants(5))];
});
afterAll(() => scene.close());

/** Each test begins with a wallet that an operator has unfrozen, at blocks that the records reach. */
beforeEach(async () => {
  scene.workThrough();
  await scene.makeFinal();
  await scene.query(
    `update hot_wallet set frozen_reason = null, chain_nonce = null, distrusted_at = now(),
            complete_height = (select finalized_height from chain_cursor)`,
  );
  await scene.trust();
});

async function order(): Promise<string> {
  const merchant = merchants.pop();
  if (merchant === undefined) throw new Error('No merchant is left.');
  return (await scene.order(merchant)).id;
}

/** Works as if a transaction could live for two minutes from now on. */
const liveLong = (): void => scene.workThrough(undefined, scene.aheadMs + LIFETIME_MS);

let sequence = 0;
/** Bytes that the database has lost. */
async function lostBytes(): Promise<SignedBytes> {
  sequence += 1;
  return scene.signedElsewhere(await scene.freshAddress(), LAMPORTS, 3_000 + sequence);
}

describe('a vault that starts on a restored database [H-106] [I-113]', () => {
  it('freezes the wallet for a transaction on the chain that is not recorded, and signs nothing', async () => {
    const lost = await lostBytes();
    await scene.handOver(lost);
    await scene.makeFinal();
    await scene.restartVault();
    const id = await order();
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'balance_unknown' });
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toBe(
      `The hot wallet has sent 1 transactions that are not recorded here, such as ${lost.txHash}.`,
    );
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'wallet_frozen' });
    expect(await scene.payouts(id)).toEqual([]);
  });

  it.each(['USDC', 'SOL'] as const)(
    'signs nothing in %s until bytes that were in flight can no longer be mined',
    async (token) => {
      const merchant = await scene.merchant(token);
      liveLong();
      await scene.restartVault();
      const { id } = await scene.order(merchant);
      await scene.pass(LIFETIME_MS / 1_000 - 10);
      await scene.worker.checkSent();
      await scene.sign();
      expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'balance_unknown' });
      await scene.pass(20);
      await scene.worker.checkSent();
      await scene.sign();
      expect(await scene.shown(id)).toMatchObject({ is_signed: true });
      await scene.finish();
      expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    },
  );

  it('freezes the wallet when such bytes are mined meanwhile', async () => {
    liveLong();
    const lost = await lostBytes();
    await scene.restartVault();
    const id = await order();
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toBeNull();
    await scene.handOver(lost);
    await scene.pass(LIFETIME_MS / 1_000 + 10);
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toContain(lost.txHash);
    expect(await scene.isTrusted()).toBe(false);
    await scene.sign();
    expect(await scene.payouts(id)).toEqual([]);
  });

  it('waits as long when the backup was taken of a database whose records were not trusted', async () => {
    liveLong();
    await scene.query(`update hot_wallet set chain_nonce = null, distrusted_at = now() - interval '1 day'`);
    await scene.restartVault();
    await scene.makeFinal();
    await scene.worker.checkSent();
    expect(await scene.isTrusted()).toBe(false);
  });
});

describe('a vault that starts again alone', () => {
  it('continues by itself, with a payment in flight', async () => {
    const sent = await order();
    await scene.sign();
    await scene.worker.send();
    await scene.lab.controls.mine();
    await scene.restartVault();
    const waiting = await order();
    await scene.trust();
    await scene.sign();
    await scene.finish();
    expect(await scene.frozenReason()).toBeNull();
    for (const id of [sent, waiting]) expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
    expect(await scene.breaches()).toEqual([]);
  });
});

describe('with two nodes, of which one lists no transactions and says that none is missing', () => {
  it('the records count as complete only as far as the other one reads [I-113]', async () => {
    const [wrong, late] = [await scene.base.proxy(null), await scene.base.proxy(null)];
    const lost = await lostBytes();
    const final = Number(await scene.lab.rpc.getSlot({ commitment: 'finalized' }).send());
    await scene.handOver(lost);
    await scene.makeFinal();
    wrong.lie = together(
      changing('getSignaturesForAddress', () => []),
      changing('getFirstAvailableBlock', () => 0),
    );
    late.lie = together(
      changing('getSlot', (slot: number) => Math.min(slot, final)),
      changing('getSignaturesForAddress', (entries: readonly { slot: number }[]) =>
        entries.filter(({ slot }) => slot <= final),
      ),
    );
    scene.workThrough([wrong.url, late.url]);
    await scene.worker.checkSent();
    late.lie = null;
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toContain(lost.txHash);
  });
});

describe('a new wallet', () => {
  it('may sign although the node has dropped all blocks before it', async () => {
    const young = await SolanaPayoutScene.open();
    try {
      await young.lab.controls.mine(20);
      await young.makeFinal();
      const { finalizedHeight } = await young.base.cursor();
      await young.lab.controls.truncateHistory(finalizedHeight);
      await young.base.db.owner.transaction(async (tx) => {
        await query(tx, `set local session_replication_role = replica`);
        await query(tx, `delete from hot_wallet`);
      });
      await young.restartVault();
      await young.vaultRole.wallets.provide(young.vault);
      await young.trust();
      expect(await young.isTrusted()).toBe(true);
    } finally {
      await young.close();
    }
  });
});
