import { workUntilKilled } from './expiring-run.js';
import { ExpiringSweepWorker } from './expiring-sweep-worker.js';

await workUntilKilled(process.env, ExpiringSweepWorker, async (worker, { sweepSigner }, vault) => {
  await worker.plan();
  await sweepSigner.signWaiting(vault);
});
