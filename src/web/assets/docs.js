// Starts the reference on the documentation page, when all of it is there.
// Links within the page are the browser's: the bundle would move the page and leave the keyboard behind.
window.noZensmooth = true;
// The reference is dark by a word at the top of the page, not by the reader's wish.
const wish = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', wish.matches);
wish.addEventListener('change', follow);
follow();
window.addEventListener('DOMContentLoaded', () => {
  const place = document.getElementById('swagger');
  if (!place || !window.SwaggerUIBundle) return;
  window.SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    // Of other addresses within the page it would make its own.
    deepLinking: /^(#\/.*)?$/.test(window.location.hash),
    docExpansion: 'none',
    // Of those that it brings along, one whose colours can be read.
    syntaxHighlight: { theme: 'tomorrow-night' },
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    // The document names the public address; what is tried here goes to the address this page came from.
    requestInterceptor: (request) => {
      const asked = new URL(request.url, window.location.href);
      return { ...request, url: window.location.origin + asked.pathname + asked.search };
    },
  });
});
