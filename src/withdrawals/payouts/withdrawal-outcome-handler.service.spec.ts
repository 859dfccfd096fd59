import { keccak256 } from 'ethers';
import type { SeededChain } from '../../../test/support/factories.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { forEveryPurpose } from '../../../test/support/outcomes.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { genesisOf, runtimeServing, sourceOf } from '../../../test/support/served-chains.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import type { Tenant } from '../../domain/tenant.js';
import { PocketReader } from '../../ledger/pocket-reader.service.js';
import { createLogger } from '../../platform/logging.js';
import { Broadcaster } from '../../treasury/transactions/broadcaster.service.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import type { WithdrawalOutcomeHandler } from './withdrawal-outcome-handler.service.js';

const silent = createLogger('silent');

let scene: PayoutScene;
let endings: WithdrawalOutcomeHandler;
let tenant: Tenant;
let gone: SeededChain;

beforeAll(async () => {
  scene = await PayoutScene.open();
  ({ endings } = vaultServices(scene.database, new RecordingQueue().queue));
});
afterAll(() => scene.close());
beforeEach(async () => {
  tenant = await scene.merchant();
  gone = await scene.addChain('polygon');
});

async function signed(traits: OrderTraits): Promise<Ordered> {
  const ordered = await scene.order(tenant, { chain: gone, ...traits });
  await scene.signer.sign(scene.vault, ordered.id);
  return ordered;
}

async function bytesOf({ id }: Ordered): Promise<string> {
  const payout = await payoutOf(scene.database, id);
  return payout?.attempts[0]?.raw ?? '';
}

async function endOf({ id, pocketId }: Ordered) {
  const [row] = await scene.database.query<{ status: string; failure_code: string | null }>(
    `select status, failure_code from withdrawal where id = $1`,
    [id],
  );
  const { available_cents: available, held_cents: held } = await new PocketReader(scene.database).get(tenant, pocketId);
  return { ...row, available, held, events: await withdrawalEvents(scene.database, id) };
}

const REFUNDED = {
  status: 'failed',
  failure_code: 'chain_gone',
  available: 2501,
  held: 0,
  events: ['withdrawal.failed'],
};

/** Everything that is signed, sent to the one node that the network has. Gives the bytes that it was handed. */
async function broadcast(chain: SeededChain): Promise<unknown[]> {
  const genesis = await genesisOf(scene.database, chain.chainRef);
  const node = await FakeNode.start({
    eth_chainId: () => '0x7a69',
    eth_getBlockByNumber: () => ({ hash: genesis }),
    eth_sendRawTransaction: (raw) => keccak256(String(raw)),
  });
  const chains = new TreasuryChains(scene.database, runtimeServing([sourceOf('polygon', node.url)]), silent);
  await scene.database.query(
    `update chain_transaction set due_at = now() - interval '1 second' where status = 'signed'`,
  );
  await new Broadcaster(scene.database, chains, forEveryPurpose(endings), silent).sendDue();
  await chains.beforeApplicationShutdown();
  await node.stop();
  const questions = node.requests.flatMap((request) => request.questions);
  return questions.filter(({ method }) => method === 'eth_sendRawTransaction').map(({ params }) => params[0]);
}

describe('on a development chain that was begun anew', () => {
  it('what was to be paid is given back, what was signed is abandoned and never sent again', async () => {
    const sent = await signed({ token: 'USDC' });
    const unsigned = await scene.order(tenant, { chain: gone, token: 'USDT' });
    expect(await broadcast(gone)).toEqual([await bytesOf(sent)]);
    await endings.failOnReplacedChains();
    expect([await endOf(sent), await endOf(unsigned)]).toMatchObject([{ events: [] }, { events: [] }]);

    const begunAnew = await scene.addChain('polygon');
    // Before the money is given back, and after.
    expect(await broadcast(begunAnew)).toEqual([]);
    await endings.failOnReplacedChains();
    await endings.failOnReplacedChains();
    expect([await endOf(sent), await endOf(unsigned)]).toEqual([REFUNDED, REFUNDED]);
    expect(await payoutOf(scene.database, sent.id)).toMatchObject({ status: 'abandoned', minedHash: null });
    expect(await broadcast(begunAnew)).toEqual([]);
    await expectPayoutsInOrder(scene.database);
  });

  it('the same payment can be ordered once more, though its bytes are those of the one before', async () => {
    // The nonces begin anew too, and this token has the same contract on both.
    const before = await signed({ token: 'USDT' });
    const begunAnew = await scene.addChain('polygon');
    await endings.failOnReplacedChains();
    const again = await signed({ token: 'USDT', chain: begunAnew });
    expect(await scene.waitsFor(again.id)).toBeNull();
    expect(await bytesOf(again)).toBe(await bytesOf(before));
    expect(await broadcast(begunAnew)).toEqual([await bytesOf(again)]);
    await endings.failOnReplacedChains();
    expect(await endOf(again)).toMatchObject({ status: 'broadcasting', held: 2501 });
  });

  it('one that cannot be given back holds up no other', async () => {
    // Nothing is held for it, so that nothing can be given back.
    await scene.order(tenant, { chain: gone, held: 0n });
    const fine = await scene.order(tenant, { chain: gone, token: 'USDT' });
    await scene.addChain('polygon');
    await endings.failOnReplacedChains().catch(() => undefined);
    expect(await endOf(fine)).toEqual(REFUNDED);
  });
});
