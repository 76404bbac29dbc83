// Browsers start no worker from a page that is opened from a file. There the worker of the search runs in a hidden
// frame.
if (location.protocol === 'file:') {
    window.Worker = class extends EventTarget {
        #loaded;

        constructor(url) {
            super();
            const frame = document.createElement('iframe');
            frame.hidden = true;
            document.documentElement.append(frame);
            const inside = frame.contentWindow;
            inside.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
            this.#loaded = new Promise((loaded) => {
                const script = frame.contentDocument.createElement('script');
                script.src = url;
                script.onload = () => loaded(inside);
                frame.contentDocument.body.append(script);
            });
        }

        postMessage(data) {
            this.#loaded.then((inside) => inside.dispatchEvent(new MessageEvent('message', { data })));
        }
    };
}
