// Starts the reference (Swagger UI) on the documentation page, once all of it is loaded.
// Links within the page are left to the browser: the bundle would scroll the page, but not move the keyboard focus.
window.noZensmooth = true;
// The reference is dark if the page has this class; it does not follow the reader's preference by itself.
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
    // Otherwise it would replace other fragments of the address by its own.
    deepLinking: /^(#\/.*)?$/.test(window.location.hash),
    docExpansion: 'none',
    // Among the themes that it includes, one with enough contrast.
    syntaxHighlight: { theme: 'tomorrow-night' },
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    // The document names the public address; requests tried out here go to the origin that this page came from.
    requestInterceptor: (request) => {
      const asked = new URL(request.url, window.location.href);
      return { ...request, url: window.location.origin + asked.pathname + asked.search };
    },
  });
});
