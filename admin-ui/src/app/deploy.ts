const RELOADED_FOR = 'coffer.reloaded-for';

/**
 * A page from before a deploy asks for files that are gone. It loads itself once more, as the new version, at the address
 * that it was going to; drafts are in the session's storage. The same build never reloads twice.
 */
export function reloadAfterDeploy(): void {
  window.addEventListener('vite:preloadError', () => {
    const build = import.meta.url;
    if (window.sessionStorage.getItem(RELOADED_FOR) === build) return;
    window.sessionStorage.setItem(RELOADED_FOR, build);
    window.location.reload();
  });
}
