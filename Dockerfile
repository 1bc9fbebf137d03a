# PostgreSQL's official image, with idgen in it, preloaded:
#
#   docker build --build-arg PG_MAJOR=18 -t idgen:18 .
#
# PG_MAJOR is 15 or newer. BASE is the image of another registry, or one that is
# made from the official one.

ARG PG_MAJOR=18
ARG BASE=docker.io/library/postgres:${PG_MAJOR}

FROM ${BASE} AS build

# the image itself sets PG_MAJOR for what runs in it
RUN apt-get update \
	&& apt-get install -y --no-install-recommends gcc libc6-dev make "postgresql-server-dev-$PG_MAJOR"
COPY Makefile idgen.control /idgen/
COPY sql /idgen/sql
COPY src /idgen/src
RUN make -C /idgen -j "$(nproc)" "PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" all \
	&& make -C /idgen "PG_CONFIG=/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" DESTDIR=/installed install

FROM ${BASE}

LABEL org.opencontainers.image.title="PostgreSQL with idgen" \
	org.opencontainers.image.licenses="PostgreSQL"
COPY LICENSE /usr/share/doc/idgen/copyright
COPY --from=build /installed/ /
# runs when a cluster is made
COPY container/preload.sh /docker-entrypoint-initdb.d/00-preload-idgen.sh
