import { Marked, type Tokens } from 'marked';
import { anchorOf } from './heading-anchor.js';

/** A link from one document to another: `webhooks.md` in the repository, `webhooks` on the served pages. */
const DOCUMENT_LINK = /^([\w-]+)\.md(#.*)?$/;

/** Escapes text for HTML. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    // HTML inside a document is shown as text; comments are removed.
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return text.startsWith('<!--') ? '' : escapeHtml(text);
    },
    link({ href, tokens }: Tokens.Link): string {
      const target = href.replace(DOCUMENT_LINK, '$1$2');
      return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

/** Renders a document whose first line is its title, without inline styles or scripts. */
export function markdownPage(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Coffer';
  const content = marked.parse(markdown, { async: false });
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escapeHtml(title)} · Coffer</title>
  <link rel="stylesheet" href="pages.css">
</head>
<body>
<nav><a href="../docs">API</a> <a href="webhooks">Webhooks</a> <a href="errors">Errors</a> <a href="idempotency">Idempotency</a> <a href="explain">Explain</a> <a href="compatibility">Compatibility</a></nav>
<main>
${content}</main>
</body>
</html>
`;
}
