import { GAS_PAYMENTS_SHOWN, type HotWalletView } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { presentWallet } from './treasury.presenter.js';

const WALLET: HotWalletView = {
  chainRef: 'sandbox/polygon',
  environment: 'sandbox',
  network: 'polygon',
  address: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
  frozenReason: null,
  holdings: [],
  gasPayments: null,
  isLowOnGas: false,
};

describe('a hot wallet of the treasury', () => {
  it.each<[gasPayments: number | null, isMore: boolean]>([
    [null, false],
    [GAS_PAYMENTS_SHOWN - 1, false],
    [GAS_PAYMENTS_SHOWN, true],
  ])('that can pay the fees of %p payments says whether these are all', (gasPayments, isMore) => {
    expect(presentWallet({ ...WALLET, gasPayments })).toMatchObject({
      gas_payments: gasPayments,
      gas_payments_is_more: isMore,
    });
  });
});
