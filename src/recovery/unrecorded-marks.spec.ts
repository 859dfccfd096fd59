import { faultNamed } from '../devtools/chaos/faults.js';
import { FaultProxy } from '../devtools/chaos/fault-proxy.js';
import { HotWalletScene } from '../../test/support/hot-wallet-scene.js';
import { UnrecordedSent } from './expiring/unrecorded-sent.service.js';
import { UnrecordedMarksReader } from './unrecorded-marks.service.js';
import { UnrecordedTransactions } from './unrecorded-transactions.service.js';

let scene: HotWalletScene;
let hanging: FaultProxy;
beforeAll(async () => {
  scene = await HotWalletScene.open();
  hanging = await FaultProxy.start({ target: { url: scene.node.url }, seed: 0 });
  await scene.begin();
});
afterAll(async () => {
  await scene.end();
  await hanging.stop();
  await scene.close();
});

/** What a page of the console receives for the chain of the scene. */
const soon = () => {
  const { database, chains } = scene;
  const reader = new UnrecordedMarksReader(chains, new UnrecordedTransactions(database), new UnrecordedSent(database));
  return reader.soonOf(({ chainRef }) => chainRef === scene.chain.chainRef);
};

it('a node that hangs does not hide from staff what another node shows in time', async () => {
  const timeout = faultNamed('timeout');
  hanging.arm(timeout === null ? [] : [timeout]);
  scene.serveBy(hanging.url, scene.node.url);
  await scene.give(10n ** 18n);
  await scene.pay(1n);
  await expect(soon()).resolves.toEqual([0]);
  expect(hanging.asked.size).toBeGreaterThan(0);
});

it('nothing is known while no node answers in time', async () => {
  scene.serveBy(hanging.url);
  await expect(soon()).resolves.toBeNull();
});
