import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Menus and dialogs: no page shows one before the reader asks for it. */
const OVERLAY =
  /@floating-ui|react-remove-scroll|react-style-singleton|use-sidecar|\/(Floating|FocusTrap|Menu|Modal|ModalBase|Overlay|Popover|ScrollArea)\/|\/confirm-dialog\./;
/** What every page runs. */
const FIRST = ['index', 'common', 'shell'];

/** Has Chromium compile these files in the background while they load, and not function by function while they run. */
const compiledAtOnce: Plugin = {
  name: 'compiled-at-once',
  generateBundle: {
    // The comment must be the first line, also after other plugins.
    order: 'post',
    handler(_options, files) {
      for (const file of Object.values(files))
        if (file.type === 'chunk' && FIRST.includes(file.name))
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

export default defineConfig({
  base: '/admin/',
  plugins: [react(), compiledAtOnce],
  // The service puts a random nonce in the place of this word, in each answer of index.html.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    // The security policy allows files of this host alone, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    target: 'es2024',
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // `common` must import none of these: two chunks that import each other fail when they load.
            { name: 'overlays', test: OVERLAY, minShareCount: 2, priority: 1, includeDependenciesRecursively: false },
            // What most pages use is one file: a small file costs more in headers than in content.
            { name: 'common', minShareCount: 8 },
          ],
        },
      },
    },
    // Browsers that have light-dark(): colours follow the scheme without a second set of rules.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
});
