import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../test/support/cli-run.js';
import { SolanaAdoptionScene } from '../../../test/support/solana-adoption-scene.js';
import { paidBeside } from '../../../test/support/solana-other-account.js';
import type { PaidMerchant } from '../../../test/support/solana-payout-scene.js';
import { dataFilesOf } from '../../app/start/data-files.js';
import { NATIVE_COIN } from '../../domain/network.js';

const PLACE = ['--network', 'solana', '--env', 'sandbox'] as const;
const WHY = ['--reason', 'restored to 03:00'] as const;

let scene: SolanaAdoptionScene;
let merchants: readonly PaidMerchant[];
let dataDir: string;
beforeAll(async () => {
  scene = await SolanaAdoptionScene.open();
  merchants = await scene.payouts.merchants(3);
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-commands-'));
  await writeFile(dataFilesOf(dataDir).sandbox, JSON.stringify(await sandboxFile()), { mode: 0o600 });
});
afterAll(async () => {
  await scene.close();
  await rm(dataDir, { recursive: true });
});

/** What the sandbox writes about its chain. */
async function sandboxFile() {
  const { genesisHash } = await scene.payouts.lab.controls.info();
  const { mints } = scene.payouts.base;
  const solana = {
    rpc_url: scene.payouts.lab.chain.url,
    chain_id: genesisHash,
    tokens: Object.fromEntries(Object.entries(mints).map(([symbol, address]) => [symbol, { address, decimals: 6 }])),
    pockets: {},
    faucet: { address: '', private_key: '' },
  };
  return { api_url: scene.payouts.lab.chain.url, api_key: '', merchant_id: '', networks: { solana } };
}

const coffer = (...args: readonly string[]) =>
  runCommand([...args], { DATABASE_URL: scene.payouts.base.db.url, DATA_DIR: dataDir });

const merchant = (place: number): PaidMerchant => {
  const found = merchants[place];
  if (found === undefined) throw new Error('There is no such merchant.');
  return found;
};

describe('the commands about unrecorded transactions on Solana [H-106]', () => {
  it('list them with what they did and what they fit, adopt them, and let the wallet sign again', async () => {
    const { payouts } = scene;
    expect(await coffer('treasury', 'unrecorded', ...PLACE)).toMatchObject({
      code: 0,
      out: `Hot wallet ${payouts.hotWallet} has no unrecorded transaction in a final block.\n`,
    });
    const { id, destination } = await payouts.order(merchant(0));
    const paid = await scene.land(await scene.lostPayment(id));
    const failed = await scene.land(
      await scene.paymentElsewhere(await payouts.freshAddress(), NATIVE_COIN, 1_000_000n, 1),
    );
    await scene.restart();
    const { code, out } = await coffer('treasury', 'unrecorded', ...PLACE);
    expect(code).toBe(1);
    const [head, ...blocks] = out.trimEnd().split('\n\n');
    expect(head).toBe(`Hot wallet ${payouts.hotWallet}: 2 final transactions are not in the database.`);
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    expect(blocks).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${paid}\n  succeeded in block \\d+, ${time}\n  hot wallet: -0.00\\d+ SOL, -1 USDC \\(with a fee of 0.0000\\d+ SOL\\)\n` +
            `  It sends 1 USDC to ${destination}. ${id} waits for this.$`,
        ),
      ),
      expect.stringMatching(
        new RegExp(
          `^${failed}\n  FAILED in block \\d+, ${time}\n  hot wallet: -0.0000\\d+ SOL \\(with .*\\)\n` +
            '  It sends 0.001 SOL to \\w+. No order explains it: have its order made again and name that, or adopt it as a loss.$',
        ),
      ),
    ]);
    const unfreeze = ['withdrawals', 'unfreeze', ...PLACE, '--reason', 'all is recorded'] as const;
    const refused = await coffer(...unfreeze);
    expect(refused.err).toContain(`transactions of this hot wallet that are not known here, such as ${paid}.`);
    const cancelled = await coffer('withdrawals', 'cancel', id, ...WHY);
    expect(cancelled.err).toContain('npx coffer treasury unrecorded lists them');
    expect((await coffer('treasury', 'adopt', paid, ...PLACE, ...WHY)).out).toMatch(
      new RegExp(
        `^ADOPTED: number \\d+, ctx_\\w+, for withdrawal ${id}\\. It ends once it is final on the chain\\.\n$`,
      ),
    );
    expect((await coffer('treasury', 'adopt', paid, ...PLACE, ...WHY)).out).toContain('Nothing to do');
    const unexplained = await coffer('treasury', 'adopt', failed, ...PLACE, ...WHY);
    expect(unexplained.err).toContain('have the same payment ordered again and name the order with --withdrawal');
    expect(unexplained.code).toBe(1);
    expect((await coffer('treasury', 'adopt', failed, ...PLACE, ...WHY, '--as-loss')).out).toContain('for loss los_');
    expect((await coffer('treasury', 'unrecorded', ...PLACE)).code).toBe(0);
    await payouts.worker.confirm();
    expect(await coffer(...unfreeze)).toMatchObject({ code: 0 });
    await payouts.trust();
    expect(await payouts.frozenReason()).toBeNull();
    expect(await payouts.shown(id)).toMatchObject({ status: 'completed', tx_hash: paid });
    const later = await payouts.order(merchant(1));
    await payouts.sign();
    await payouts.finish();
    expect(await payouts.shown(later.id)).toMatchObject({ status: 'completed' });
    await scene.expectInOrder();
  });

  it('cancel a withdrawal only once nothing that is not recorded can be in flight', async () => {
    const { payouts } = scene;
    const { id } = await payouts.order(merchant(2));
    await payouts.restartVault();
    const early = await coffer('withdrawals', 'cancel', id, ...WHY);
    expect(early.err).toContain('try again in a minute');
    await payouts.trust();
    expect(await coffer('withdrawals', 'cancel', id, ...WHY)).toMatchObject({ code: 0 });
    expect(await payouts.shown(id)).toMatchObject({ status: 'failed', failure_code: 'cancelled' });
  });

  it('refund a deposit only then, since its lost refund may be in flight', async () => {
    const { payouts } = scene;
    const deposit = await scene.suspended();
    await payouts.readQuotes();
    await payouts.restartVault();
    const resolve = ['deposits', 'resolve', deposit, '--to-address', await payouts.freshAddress(), ...WHY] as const;
    expect((await coffer(...resolve)).err).toContain(
      'an unrecorded transaction may have paid this deposit out: try again',
    );
    await payouts.trust();
    expect(await coffer(...resolve)).toMatchObject({ code: 0 });
  });

  it('take no id of another family', async () => {
    const evm = `0x${'5f'.repeat(32)}`;
    const { code, err } = await coffer('treasury', 'adopt', evm, ...PLACE, ...WHY);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('This is no transaction id of solana') });
  });
});

describe('coffer deposits find', () => {
  it('searches an address of Solana for other token accounts, which are credited from then on', async () => {
    const { base } = scene.payouts;
    const { address } = await base.intent();
    const [credited, refused] = [
      await paidBeside(base, address, { amount: 3_000_000n }),
      await paidBeside(base, address, { amount: 2_000_000n, keepsClosing: true }),
    ];
    const { code, out } = await coffer('deposits', 'find', address);
    expect(code).toBe(1);
    expect(out.trimEnd().split('\n')).toEqual([
      `3 USDC in ${credited.account} will be credited.`,
      `2 USDC in ${refused.account} cannot be credited: another key may close the account.`,
    ]);
    const { address: empty } = await base.intent();
    expect(await coffer('deposits', 'find', empty)).toMatchObject({
      code: 0,
      out: 'Nothing was found that is not credited already.\n',
    });
    const { address: stranger } = await base.lab.newWallet();
    expect((await coffer('deposits', 'find', stranger)).err).toContain('is no address of a chain');
    expect((await coffer('deposits', 'find', 'nonsense')).code).toBe(2);
  });
});
