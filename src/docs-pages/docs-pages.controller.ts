import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Controller, Get, Header, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../auth/scopes.js';
import { notFound } from '../domain/errors.js';
import { DOCS_PAGES_CSS } from './docs-pages.style.js';
import { markdownPage } from './markdown-page.js';

/** The served documents of `docs/`; `doc_url` of every error links to the first one. */
export const DOCS_PAGES = ['errors', 'webhooks', 'idempotency', 'explain', 'prices', 'compatibility'] as const;

const CACHE = 'public, max-age=300';

/** Serves the documentation of the API from the service itself: always the right version, and offline. */
@Controller('docs')
@Public()
export class DocsPagesController {
  private readonly pages = new Map<string, string>();

  @Get('pages.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', CACHE)
  style(): string {
    return DOCS_PAGES_CSS;
  }

  @Get([...DOCS_PAGES])
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', CACHE)
  page(@Req() req: Request): string {
    const name = DOCS_PAGES.find((page) => page === basename(req.path));
    if (name === undefined) throw notFound('page');
    const known = this.pages.get(name) ?? markdownPage(readFileSync(documentPath(name), 'utf8'));
    this.pages.set(name, known);
    return known;
  }
}

/** Returns the path of a document. `docs/` is beside package.json, above the sources and the build. */
function documentPath(name: string): string {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error('The package.json of this service is missing.');
  return join(dirname(manifest), 'docs', `${name}.md`);
}
