// Starts the reference on the documentation page.
const place = document.getElementById('swagger');
if (place && window.SwaggerUIBundle) {
  window.SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    deepLinking: true,
    docExpansion: 'none',
    tryItOutEnabled: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    // The document names the public address; what is tried here goes to the address this page came from.
    requestInterceptor: (request) => {
      const asked = new URL(request.url, window.location.href);
      return { ...request, url: window.location.origin + asked.pathname + asked.search };
    },
  });
}
