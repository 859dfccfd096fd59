import { workUntilKilled } from './expiring-run.js';
import { ExpiringTreasury } from './expiring-treasury.js';

await workUntilKilled(process.env, ExpiringTreasury, async (worker, { signer }, vault) => {
  await worker.simulate();
  await signer.signWaiting(vault);
});
