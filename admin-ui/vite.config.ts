import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/admin/',
  plugins: [react()],
  // The service puts a random nonce in the place of this word, in each answer of index.html.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    // The security policy allows files of this host alone, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2024',
    // Browsers that have light-dark(): colours follow the scheme without a second set of rules.
    // What most pages use is one file: a small file costs more in headers than in content.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 8 }] } } },
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
});
