/** The stylesheet of the documentation's pages. It is served as a file, because the security policy forbids inline styles. */
export const DOCS_PAGES_CSS = `:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 46rem; padding: 1rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
nav { border-bottom: 1px solid #8886; padding-bottom: .75rem; }
nav a { margin-right: 1rem; }
h1 { font-size: 1.75rem; line-height: 1.25; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; }
h2:target { background: #fd06; }
a { color: #0b5cad; }
code, pre { font: .875em/1.5 ui-monospace, monospace; }
code { background: #8882; border-radius: 3px; padding: .1em .3em; }
pre { background: #8882; border-radius: 6px; overflow-x: auto; padding: .875rem 1rem; }
pre code { background: none; padding: 0; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid #8886; padding: .35rem .6rem; text-align: left; vertical-align: top; }
@media (prefers-color-scheme: dark) { a { color: #7ab8ff; } }
`;
