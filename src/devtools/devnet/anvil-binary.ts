import { createRequire } from 'node:module';

/** npm installs only the binary of this machine, as an optional dependency of `@foundry-rs/anvil`. */
const BINARIES: Readonly<Record<string, string>> = {
  'linux x64': '@foundry-rs/anvil-linux-amd64/bin/anvil',
  'linux arm64': '@foundry-rs/anvil-linux-arm64/bin/anvil',
  'darwin x64': '@foundry-rs/anvil-darwin-amd64/bin/anvil',
  'darwin arm64': '@foundry-rs/anvil-darwin-arm64/bin/anvil',
  'win32 x64': '@foundry-rs/anvil-win32-amd64/bin/anvil.exe',
};

/** The alternatives to local chains. */
const WAY_OUT = 'Set SANDBOX_<NETWORK>_RPC_URL to use other chains, or DEV_CHAINS=none to go without.';

/**
 * Returns the path of the anvil executable for this machine.
 * @throws Error that names the missing package and what to do.
 */
export function anvilBinaryPath(platform: string = process.platform, arch: string = process.arch): string {
  const binary = BINARIES[`${platform} ${arch}`];
  if (binary === undefined) {
    throw new Error(`Local development chains need anvil, which does not support ${platform} ${arch}. ${WAY_OUT}`);
  }
  try {
    const anvilPackage = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
    return createRequire(anvilPackage).resolve(binary);
  } catch (cause) {
    const missing = binary.split('/').slice(0, 2).join('/');
    const advice = 'Run `npm install` without `--omit=optional`.';
    throw new Error(`Local development chains need ${missing}, which is not installed. ${advice} ${WAY_OUT}`, {
      cause,
    });
  }
}
