import { execFileSync } from 'node:child_process';
import { anvilBinaryPath } from './anvil-binary.js';

describe('anvilBinaryPath', () => {
  it('finds an anvil that runs on this machine', () => {
    expect(execFileSync(anvilBinaryPath(), ['--version']).toString()).toMatch(/^anvil Version: 1\.7\.1/);
  });

  it('names the machine that anvil does not support, and the alternatives', () => {
    expect(() => anvilBinaryPath('sunos', 'x64')).toThrow(/does not support sunos x64\..*SANDBOX_<NETWORK>_RPC_URL/);
  });

  it('names the package that is not installed, and the alternatives', () => {
    const other = process.platform === 'win32' ? 'linux' : 'win32';
    expect(() => anvilBinaryPath(other, 'x64')).toThrow(
      /@foundry-rs\/anvil-\w+-amd64, which is not installed\..*npm install/,
    );
  });
});
