import type { SignedBytes } from '../../chains/expiring-transaction.js';
import {
  endingAt,
  forgedBlock,
  hidingTransactions,
  knowingNothing,
  type TronLie,
} from '../../../test/support/tron-liar.js';
import { type PaidMerchant, TronPayoutScene } from '../../../test/support/tron-payout-scene.js';

const LIFETIME_MS = 120_000;
const SUN = 1_000_000n;
const honest: TronLie = (_path, answer) => answer;

let scene: TronPayoutScene;
let merchants: PaidMerchant[];
beforeAll(async () => {
  scene = await TronPayoutScene.funded();
  merchants = [...(await scene.merchants(4))];
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

/** Works as if a transaction could live for two minutes from now on. Blocks are ahead of the clock of the database. */
async function liveLong(): Promise<void> {
  const { now } = await scene.controls.info();
  scene.workThrough(undefined, now - Date.now() + LIFETIME_MS);
}

let sequence = 0;
/** Bytes that the database has lost. */
async function lostBytes(): Promise<SignedBytes> {
  sequence += 1;
  return scene.signedElsewhere(await scene.freshAddress(), SUN, 3_000 + sequence);
}

describe('a vault that starts on a restored database, with a wallet of Tron [H-106] [I-113]', () => {
  it('freezes the wallet for a transaction on the chain that is not recorded, and signs nothing', async () => {
    const lost = await lostBytes();
    expect(await scene.handOver(lost)).toBe(true);
    await scene.makeFinal();
    await scene.restartVault();
    const id = await order();
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toBe(
      `The hot wallet has sent 1 transactions that are not recorded here, such as ${lost.txHash}.`,
    );
    await scene.sign();
    expect(await scene.shown(id)).toMatchObject({ is_signed: false, waiting_reason: 'wallet_frozen' });
    expect(await scene.payouts(id)).toEqual([]);
  });

  it.each(['USDT', 'TRX'] as const)(
    'signs nothing in %s until bytes that were in flight can no longer be mined',
    async (token) => {
      const merchant = await scene.merchant(token);
      await liveLong();
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
    await liveLong();
    const lost = await lostBytes();
    await scene.restartVault();
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toBeNull();
    await scene.handOver(lost);
    await scene.pass(LIFETIME_MS / 1_000 + 10);
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toContain(lost.txHash);
    expect(await scene.isTrusted()).toBe(false);
  });

  it('reads every block of a long time, some hundred at once, before it trusts the records', async () => {
    await scene.restartVault();
    await scene.controls.mine(450);
    await scene.makeFinal();
    const lost = await lostBytes();
    await scene.handOver(lost);
    await scene.makeFinal();
    const reasons: (string | null)[] = [];
    for (let round = 0; round < 3; round += 1) {
      await scene.worker.checkSent();
      reasons.push(await scene.frozenReason());
    }
    expect(reasons.slice(0, 2)).toEqual([null, null]);
    expect(reasons[2]).toContain(lost.txHash);
  });

  it('is followed up to the final block check by check, however many blocks came at once', async () => {
    await scene.controls.mine(450);
    await scene.makeFinal();
    const { solid } = await scene.controls.info();
    await scene.worker.checkSent(3);
    const [wallet] = await scene.query<{ complete_height: string }>(`select complete_height from hot_wallet`);
    expect(Number(wallet?.complete_height)).toBe(solid);
  });

  it('is not followed check by check while another node is far behind', async () => {
    const { solid } = await scene.controls.info();
    await scene.controls.mine(250);
    await scene.makeFinal();
    const [late, other] = [await scene.liar(), await scene.liar()];
    let lists = 0;
    late.lie = (path, answer, params) => {
      if (!path.endsWith('limitnext')) return answer;
      lists += 1;
      return endingAt(solid)(path, answer, params);
    };
    other.lie = honest;
    scene.workThrough([other.url, late.url]);
    await scene.worker.checkSent();
    const once = lists;
    await scene.worker.checkSent(3);
    expect(once).toBeGreaterThan(0);
    expect(lists).toBe(2 * once);
  });
});

describe('a vault that starts again alone, with a payment of Tron in flight', () => {
  it('continues by itself', async () => {
    const sent = await order();
    await scene.sign();
    await scene.worker.send();
    await scene.controls.mine();
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

describe('with two nodes of Tron, of which one hides all transactions', () => {
  it('a transaction that is not recorded is found by the other one [I-113]', async () => {
    const [wrong, right] = [await scene.liar(), await scene.liar()];
    const lost = await lostBytes();
    await scene.handOver(lost);
    await scene.makeFinal();
    [wrong.lie, right.lie] = [hidingTransactions, honest];
    scene.workThrough([wrong.url, right.url]);
    await scene.worker.checkSent();
    expect(await scene.frozenReason()).toContain(lost.txHash);
  });
});

describe('with two nodes of Tron, of which one makes later blocks up', () => {
  const later: TronLie = (path, answer) =>
    path === 'wallet/getblock' && JSON.stringify(answer).includes('"number"')
      ? forgedBlock(answer, ({ timestamp }) => ({ timestamp: timestamp + LIFETIME_MS }))
      : answer;
  const doubts = (about: string) => scene.base.log.lines.filter(({ msg }) => msg.startsWith(about));

  async function restart(other: TronLie): Promise<void> {
    const [wrong, right] = [await scene.liar(), await scene.liar()];
    [wrong.lie, right.lie] = [later, other];
    const { now } = await scene.controls.info();
    scene.workThrough([wrong.url, right.url], now - Date.now() + LIFETIME_MS);
    await scene.restartVault();
    await scene.pass(10);
  }

  it('the records are not trusted before both show that nothing can be mined any more [I-113]', async () => {
    await restart(honest);
    await scene.worker.checkSent(3);
    expect(await scene.isTrusted()).toBe(false);
    expect(doubts('Nodes disagree')).toMatchObject([{ level: 'warn' }]);
    await scene.pass(LIFETIME_MS / 1_000);
    await scene.worker.checkSent();
    expect(await scene.isTrusted()).toBe(true);
  });

  it('the records are not trusted while the other one is silent [I-113]', async () => {
    await restart(knowingNothing);
    await scene.worker.checkSent(2);
    expect(await scene.isTrusted()).toBe(false);
    expect(doubts('One node alone')).toMatchObject([{ level: 'warn' }]);
  });
});
