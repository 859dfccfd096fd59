import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** A blue that keeps 4.5:1 as text and under white text, in both schemes. */
const ink: MantineColorsTuple = [
  '#eef4fb',
  '#dbe7f5',
  '#b4cdea',
  '#8ab2e0',
  '#689bd7',
  '#4a86cc',
  '#2f72bd',
  '#1f5fa8',
  '#194e8b',
  '#123c6d',
];

export const theme = createTheme({
  primaryColor: 'ink',
  colors: { ink },
  primaryShade: { light: 7, dark: 7 },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '18px' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '20px' }, h2: { fontSize: '16px' }, h3: { fontSize: '14px' } },
  },
  components: {
    // Titles in the colour of the alert have too little contrast.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // The placeholder of the focus has no role that a menu may contain.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Badge: { defaultProps: { tt: 'none' } },
    // Without a name of its own the button that closes a dialog has none.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, centered: true } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
});
