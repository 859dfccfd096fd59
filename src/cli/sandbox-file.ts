import { z } from 'zod';
import { readSecretFile } from '../platform/data-dir.js';
import { dataFilesOf } from '../app/start/data-files.js';
import { CommandFailure } from './command.js';

/** `sandbox.json`, which the sandbox writes for the users of this machine. */
const sandboxFileSchema = z.object({
  api_url: z.url(),
  api_key: z.string(),
  merchant_id: z.string(),
  // Files of earlier versions have none.
  admin: z.object({ url: z.url(), email: z.string(), password: z.string().nullable() }).optional(),
  networks: z.record(
    z.string(),
    z.object({
      rpc_url: z.url(),
      chain_id: z.union([z.int(), z.string()]),
      // By symbol; the chain's own coin has no address: null on EVM networks, `native` elsewhere.
      tokens: z.record(z.string(), z.object({ address: z.string().nullable(), decimals: z.int() })),
      // Pockets of the merchant, by symbol.
      pockets: z.record(z.string(), z.string()),
      faucet: z.object({ address: z.string(), private_key: z.string() }),
    }),
  ),
});
export type Sandbox = z.infer<typeof sandboxFileSchema>;

/**
 * Reads the sandbox of a data directory as its last start described it. Returns null when no sandbox has started.
 * @throws CommandFailure when the file does not have the form that the service writes.
 */
export async function readSandbox(dataDir: string): Promise<Sandbox | null> {
  const path = dataFilesOf(dataDir).sandbox;
  const text = await readSecretFile(path);
  if (text === null) return null;
  try {
    return sandboxFileSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CommandFailure(
      `${path} is damaged or of another version.`,
      'start the service: it writes the file again.',
      {
        cause,
      },
    );
  }
}
