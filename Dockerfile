# SPDX-License-Identifier: Apache-2.0
# Waystone with the demo model: docker build -t waystone . && docker run --rm -p 8000:8000 -p 8001:8001 waystone
#
# The first stage builds with the scripts that everybody uses; the second has the program, its engines and Debian's
# libraries, no compiler, and runs as a user of its own. docs/container.md says how to serve other models.
FROM debian:12 AS build
WORKDIR /waystone
COPY . .
RUN scripts/run --once \
 && scripts/install /opt/waystone --models \
 && scripts/install --libraries > /opt/waystone/packages

FROM debian:12-slim
COPY --from=build /opt/waystone /opt/waystone
RUN apt-get update -qq \
 && xargs apt-get install --no-install-recommends -y -qq < /opt/waystone/packages \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --user-group --no-create-home waystone
USER waystone
ENV PATH=/opt/waystone/bin:$PATH WAYSTONE_MODELS=/opt/waystone/share/waystone/models
EXPOSE 8000 8001 8002
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["waystone", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["waystone"]
CMD ["serve", "--host", "0.0.0.0", "--model", "ssdlite-mobilenet-v2-coco"]
