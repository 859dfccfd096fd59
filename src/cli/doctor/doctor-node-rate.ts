import { ChainUnavailable, type NodeClient } from '../../chains/chain.js';
import { type Finding, ok, warn } from './doctor-finding.js';

/** As many as the listener sends at once when it catches up. */
const REQUESTS = 20;

/** Sends some requests at once: a node that refuses them limits the listener too. */
export async function checkRate(client: NodeClient): Promise<Finding> {
  const startedAt = performance.now();
  const refusals = await Promise.all(Array.from({ length: REQUESTS }, () => isRefused(client)));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
  const refused = refusals.filter(Boolean).length;
  if (refused === 0) return ok('requests at once', `${REQUESTS} answered in ${seconds} s`);
  return warn(
    'requests at once',
    `${refused} of ${REQUESTS} were refused`,
    'docs/going-live.md says how many requests a network needs; use a plan that allows them',
  );
}

async function isRefused(client: NodeClient): Promise<boolean> {
  try {
    await client.head();
    return false;
  } catch (error) {
    if (error instanceof ChainUnavailable) return true;
    throw error;
  }
}
