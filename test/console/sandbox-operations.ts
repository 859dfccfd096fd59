import { aChain, aMerchant, anIntent, type SeededChain } from '../support/factories.js';
import type { Example, Setting } from './admin-operations.js';
import type { ConsoleService } from './console-service.js';

const chains = new WeakMap<ConsoleService, Promise<SeededChain>>();

/** An intent of the sandbox on a development chain, which another process runs. */
async function intentOnDevChain({ service }: Setting): Promise<string> {
  const chain = chains.get(service) ?? aChain(service.database);
  chains.set(service, chain);
  return (await anIntent(service.database, { tenant: await aMerchant(service.database), chain: await chain })).id;
}

/** What does not exist in live. */
const sandboxOnly =
  (example: (setting: Setting) => Omit<Example, 'path'>) =>
  async (setting: Setting): Promise<Example> => {
    const path = { id: await intentOnDevChain(setting) };
    const wanted = example(setting);
    if (setting.environment === 'sandbox') return { ...wanted, path };
    return { ...wanted, path, status: 404, code: 'not_found', readsOnly: true };
  };

/** A process without chains says so to whoever may ask it for one. */
const withoutChain = { status: 409, code: 'invalid_state_transition', readsOnly: true } as const;

/** The operations that exist in the sandbox alone, by their ids. */
export const SANDBOX_EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  getIntentControls: sandboxOnly(() => ({})),
  payIntent: sandboxOnly(() => ({ body: { payment: 'exact' }, status: 202 })),
  expireIntent: sandboxOnly(() => ({})),
  reorgIntent: sandboxOnly(() => ({ body: { returns: true }, ...withoutChain })),
  mineBlocks: sandboxOnly(() => ({ body: { blocks: 1 }, ...withoutChain })),
};
